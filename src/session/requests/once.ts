/** A request that is done once, on its way through its session. */
import type { OnceRequest } from '../protocol.ts';

export class Once {
  readonly request: OnceRequest;
  /** Command tag of the last statement that ended. */
  tag = '';
  /** A commit has stored its id. */
  isStored = false;

  constructor(request: OnceRequest) {
    this.request = request;
  }

  endedBy(tag: string): void {
    this.tag = tag;
  }
}
