/** Something that is tried at a click, once at a time: it goes well, or its fault is shown until it is tried again. */
import { useRef, useState } from 'react';
import { type Fault, faultOf } from './messages.ts';

export interface Attempt {
  readonly isBusy: boolean;
  /** The last failure; null while it is tried again. */
  readonly fault: Fault | null;
  /** @returns true where it went well; a second click before that does nothing. */
  attempt(work: () => Promise<unknown>): Promise<boolean>;
}

export function useAttempt(): Attempt {
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  // What was drawn last may not know yet that it has begun.
  const isUnderWay = useRef(false);
  const attempt = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (isUnderWay.current) return false;
    isUnderWay.current = true;
    setBusy(true);
    setFault(null);
    try {
      await work();
      return true;
    } catch (error) {
      setFault(faultOf(error));
      return false;
    } finally {
      isUnderWay.current = false;
      setBusy(false);
    }
  };
  return { isBusy, fault, attempt };
}
