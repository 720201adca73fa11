/** Fields of forms, each with its label, a word of help, and its fault. */
import { type ComponentProps, type ReactNode, useId } from 'react';
import styles from './field.module.css';

interface Said {
  readonly label: string;
  readonly help?: string | undefined;
  readonly fault?: string | null | undefined;
  readonly isLabelHidden?: boolean | undefined;
}

export function TextField({ label, help, fault, isLabelHidden, ...rest }: ComponentProps<'input'> & Said) {
  return (
    <Labelled said={{ label, help, fault, isLabelHidden }}>
      {(own) => (
        <input
          type="text"
          autoComplete="off"
          spellCheck={false}
          {...rest}
          className={styles.input}
          {...own}
        />
      )}
    </Labelled>
  );
}

export function TextArea({ label, help, fault, isLabelHidden, ...rest }: ComponentProps<'textarea'> & Said) {
  return (
    <Labelled said={{ label, help, fault, isLabelHidden }}>
      {(own) => (
        <textarea
          spellCheck={false}
          {...rest}
          className={`${styles.input} ${rest.className ?? ''}`}
          {...own}
        />
      )}
    </Labelled>
  );
}

interface LabelledProps {
  readonly said: Said;
  /** The control, with what ties it to its label and what is said below it. */
  readonly children: (own: {
    readonly id: string;
    readonly 'aria-invalid': boolean;
    readonly 'aria-describedby': string;
  }) => ReactNode;
}

function Labelled({ said: { label, help, fault, isLabelHidden = false }, children }: LabelledProps) {
  const id = useId();
  const below = `${id}-said`;
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={isLabelHidden ? 'only-read' : styles.label}>
        {label}
      </label>
      {children({ id, 'aria-invalid': fault != null, 'aria-describedby': below })}
      <Below id={below} help={help} fault={fault} />
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
