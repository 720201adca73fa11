/** A menu behind a button. */
import { Menu as Base } from '@base-ui/react/menu';
import type { ReactElement } from 'react';
import styles from './floating.module.css';
import { Icon, type IconName } from './icons.tsx';

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  readonly isDisabled?: boolean;
  readonly onChoose: () => void;
}

export function Menu({
  trigger,
  items,
}: {
  readonly trigger: ReactElement;
  readonly items: readonly MenuItem[];
}) {
  // Names stand below each other, with an icon or without.
  const hasIcons = items.some(({ icon }) => icon !== undefined);
  return (
    <Base.Root>
      <Base.Trigger render={trigger as ReactElement<Record<string, unknown>>} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end">
          <Base.Popup className={styles.menu}>
            {items.map(({ label, icon, isDisabled = false, onChoose }) => (
              <Base.Item key={label} className={styles.item} disabled={isDisabled} onClick={onChoose}>
                {hasIcons && <Icon name={icon ?? 'blank'} />}
                {label}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
