/** One of a few, or several of them. */
import { Select as Base } from '@base-ui/react/select';
import buttons from './button.module.css';
import fields from './field.module.css';
import styles from './floating.module.css';
import { Icon } from './icons.tsx';

interface SelectProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  /** The label stands above it, as in a form. */
  readonly isField?: boolean;
  readonly onChange: (value: Value) => void;
}

export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, value, options, isField = false, onChange } = props;
  const shown = options.find((option) => option.value === value)?.label ?? value;
  const select = (
    <Base.Root value={value} onValueChange={(next) => next !== null && onChange(next)}>
      <Base.Trigger className={`${buttons.button} ${buttons.choice}`} aria-label={label}>
        <span className="cut">{shown}</span>
        <Icon name="down" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="start" alignItemWithTrigger={false}>
          <Base.Popup className={styles.menu}>
            {options.map((option) => (
              <Base.Item key={option.value} value={option.value} className={styles.item}>
                <Base.ItemText>{option.label}</Base.ItemText>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
  if (!isField) return select;
  return (
    <div className={fields.field}>
      <span className={fields.label} aria-hidden="true">
        {label}
      </span>
      {select}
    </div>
  );
}

interface MultiSelectProps {
  readonly label: string;
  /** Words on the button. */
  readonly shown: string;
  readonly value: readonly string[];
  readonly options: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
}

export function MultiSelect({ label, shown, value, options, onChange }: MultiSelectProps) {
  return (
    <Base.Root multiple value={[...value]} onValueChange={(next) => onChange(next)}>
      <Base.Trigger
        className={`${buttons.button} ${styles.several}`}
        aria-label={`${label}: ${shown}`}
        title={shown}
      >
        <span className="cut">{shown}</span>
        <Icon name="down" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="start" alignItemWithTrigger={false}>
          <Base.Popup className={styles.menu}>
            {options.map((option) => (
              <Base.Item key={option} value={option} className={styles.item}>
                <span className={styles.tick}>
                  <Base.ItemIndicator>
                    <Icon name="check" />
                  </Base.ItemIndicator>
                </span>
                <Base.ItemText>{option}</Base.ItemText>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
