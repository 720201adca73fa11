/** Fields of forms, each with its label, a word of help, and its fault. */
import { type ComponentProps, useId } from 'react';
import styles from './field.module.css';

interface Said {
  readonly label: string;
  readonly help?: string;
  readonly fault?: string | null;
  readonly isLabelHidden?: boolean;
}

export function TextField({
  label,
  help,
  fault,
  isLabelHidden = false,
  ...rest
}: ComponentProps<'input'> & Said) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={isLabelHidden ? 'only-read' : styles.label}>
        {label}
      </label>
      <input
        id={id}
        type="text"
        autoComplete="off"
        spellCheck={false}
        {...rest}
        className={styles.input}
        aria-invalid={fault != null}
        aria-describedby={`${id}-said`}
      />
      <Below id={`${id}-said`} help={help} fault={fault} />
    </div>
  );
}

export function TextArea({
  label,
  help,
  fault,
  isLabelHidden = false,
  ...rest
}: ComponentProps<'textarea'> & Said) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={isLabelHidden ? 'only-read' : styles.label}>
        {label}
      </label>
      <textarea
        id={id}
        spellCheck={false}
        {...rest}
        className={`${styles.input} ${rest.className ?? ''}`}
        aria-invalid={fault != null}
        aria-describedby={`${id}-said`}
      />
      <Below id={`${id}-said`} help={help} fault={fault} />
    </div>
  );
}

interface BelowProps {
  readonly id: string;
  readonly help: string | undefined;
  readonly fault: string | null | undefined;
}

function Below({ id, help, fault }: BelowProps) {
  return (
    <div id={id} aria-live="polite">
      {fault != null && <p className={styles.fault}>{fault}</p>}
      {fault == null && help !== undefined && <p className="quiet small">{help}</p>}
    </div>
  );
}

export function CheckField({ label, ...rest }: ComponentProps<'input'> & { readonly label: string }) {
  return (
    <label className={styles.check}>
      <input {...rest} type="checkbox" />
      {label}
    </label>
  );
}
