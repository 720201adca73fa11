/** Several of a few. */
import { Select as Base } from '@base-ui/react/select';
import buttons from './button.module.css';
import styles from './floating.module.css';
import { Icon } from './icons.tsx';

interface MultiSelectProps {
  readonly label: string;
  /** What stands on the button. */
  readonly shown: string;
  readonly value: readonly string[];
  readonly options: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
}

export function MultiSelect({ label, shown, value, options, onChange }: MultiSelectProps) {
  return (
    <Base.Root multiple value={[...value]} onValueChange={(next) => onChange(next)}>
      <Base.Trigger
        className={`${buttons.button} ${styles.choice}`}
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
