/** Asks before what is typed and not saved is left: by a dialog of our own within the console, by the browser's where its tab closes. */
import { type ReactNode, type RefObject, useEffect } from 'react';
import { type Location, useBlocker } from 'react-router';
import { WORDS } from '../words.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

const { leave: words } = WORDS;

const pathOf = ({ pathname }: Location): string => pathname;

/**
 * One a page. @param dirty true while there is something to lose; it is asked when somebody goes, and false from then on.
 * @param edited what is edited, as its address names it: most pages show the same in another way by what follows `?`.
 * @returns the dialog, or nothing.
 */
export function useLeaveGuard(dirty: RefObject<boolean>, edited = pathOf): ReactNode {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => dirty.current && edited(currentLocation) !== edited(nextLocation),
  );
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent): void => {
      if (dirty.current) event.preventDefault();
    };
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [dirty]);
  if (blocker.state !== 'blocked') return null;
  const leave = (): void => {
    dirty.current = false;
    blocker.proceed();
  };
  return (
    <Dialog
      isOpen
      title={words.title}
      onClose={() => blocker.reset()}
      foot={
        <>
          <Button onClick={() => blocker.reset()}>{words.stay}</Button>
          <Button kind="bad" onClick={leave}>
            {words.leave}
          </Button>
        </>
      }
    >
      <p>{words.said}</p>
    </Dialog>
  );
}
