/** Who is signed in in this browser. One thing to know: when it is over, the page stays, and is asked to sign in again above it. */
import { useSyncExternalStore } from 'react';

export interface SignedIn {
  readonly role: string;
  readonly key: { readonly name: string; readonly prefix: string; readonly expires?: string | null };
  readonly version?: string;
  readonly region?: string;
  readonly sql_port?: number;
}

export type Session =
  | { readonly state: 'unknown' }
  | { readonly state: 'out' }
  /** It was there, and what it showed still is. */
  | { readonly state: 'over'; readonly who: SignedIn }
  | { readonly state: 'in'; readonly who: SignedIn };

let session: Session = { state: 'unknown' };
/** Counts sessions that began in this page: a request of one that is over does not end the next. */
let number = 0;
const listeners = new Set<() => void>();

function become(next: Session): void {
  session = next;
  for (const tell of listeners) tell();
}

export function signedIn(who: SignedIn): void {
  number++;
  become({ state: 'in', who });
}

/** Asked before a request is sent, for when it is refused. */
export const sessionNumber = (): number => number;

export const signedOut = (): void => become({ state: 'out' });

/** @param ended the session that a refused request was sent in */
export function sessionIsOver(ended: number): void {
  if (ended !== number) return;
  if (session.state === 'in') become({ state: 'over', who: session.who });
  else if (session.state === 'unknown') become({ state: 'out' });
}

export const useSession = (): Session =>
  useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => session,
  );

/** Waits until somebody is signed in. */
export const whenSignedIn = (): Promise<void> =>
  new Promise((resolve) => {
    const tell = (): void => {
      if (session.state !== 'in') return;
      listeners.delete(tell);
      resolve();
    };
    listeners.add(tell);
    tell();
  });
