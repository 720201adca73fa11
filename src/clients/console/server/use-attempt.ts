/** Something that is tried at a click: it goes well, or its fault is shown until it is tried again. */
import { useState } from 'react';
import { type Fault, faultOf } from './messages.ts';

export interface Attempt {
  readonly isBusy: boolean;
  /** The last failure; null while it is tried again. */
  readonly fault: Fault | null;
  /** @returns true where it went well. */
  attempt(work: () => Promise<unknown>): Promise<boolean>;
}

export function useAttempt(): Attempt {
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const attempt = async (work: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    setFault(null);
    try {
      await work();
      return true;
    } catch (error) {
      setFault(faultOf(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, fault, attempt };
}
