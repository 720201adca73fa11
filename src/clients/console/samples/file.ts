/** Files of samples: they are served with the console, so nothing is fetched from anywhere else. */
import { addressOf } from '../server/address.ts';
import { StatementError } from '../server/messages.ts';

export interface Progress {
  readonly done: number;
  readonly all: number;
}

/** @param name in `public/`, which links to `samples/` of the checkout. @throws StatementError 58P01. */
export async function sampleFile(name: string, signal?: AbortSignal): Promise<Response> {
  const response = await fetch(addressOf(name), { signal: signal ?? null });
  if (response.ok) return response;
  throw new StatementError({ message: `${name} was not found (${response.status}).`, sqlstate: '58P01' });
}
