/** A word on hover and focus. It repeats what the label says: nobody needs it to understand. */
import { Tooltip } from '@base-ui/react/tooltip';
import type { ReactElement } from 'react';
import styles from './floating.module.css';

export function Tip({ text, children }: { readonly text: string; readonly children: ReactElement }) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={children as ReactElement<Record<string, unknown>>} />
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6}>
          <Tooltip.Popup className={styles.tip}>{text}</Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}

export const TipProvider = Tooltip.Provider;
