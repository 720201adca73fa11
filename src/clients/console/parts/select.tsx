/** One of a few. */
import { Select as Base } from '@base-ui/react/select';
import buttons from './button.module.css';
import styles from './floating.module.css';
import { Icon } from './icons.tsx';

interface SelectProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value) => void;
}

export function Select<Value extends string>({ label, value, options, onChange }: SelectProps<Value>) {
  const shown = options.find((option) => option.value === value)?.label ?? value;
  return (
    <Base.Root value={value} onValueChange={(next) => next !== null && onChange(next)}>
      <Base.Trigger className={buttons.button} aria-label={label}>
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
}
