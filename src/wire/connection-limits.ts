/** How many connections a server takes: as many as it wants, or as the system lets it have files open. */
import { SqlError } from '../errors.ts';
import {
  CONNECTIONS_BEFORE_AUTH_COUNT_MAX,
  CONNECTIONS_COUNT_MAX,
  HTTP_CONNECTIONS_COUNT_MAX,
} from '../limits.ts';

/** Files that the server has open besides connections: its data, models, threads and what tests its health. */
const OWN_FILES_COUNT = 128;
/** Fewer places than this serve nobody well. */
const PLACES_COUNT_MIN = 32;

export interface ConnectionLimits {
  /** Clients that have signed in. */
  readonly signedIn: number;
  /** Connections that have not. */
  readonly waiting: number;
  readonly http: number;
}

/**
 * @param openFiles that the system lets this process have.
 * @throws SqlError F0000 where that is too few to serve anybody.
 */
export function connectionLimits(openFiles: number): ConnectionLimits {
  const wanted = {
    signedIn: CONNECTIONS_COUNT_MAX,
    waiting: CONNECTIONS_BEFORE_AUTH_COUNT_MAX,
    http: HTTP_CONNECTIONS_COUNT_MAX,
  };
  const places = openFiles - OWN_FILES_COUNT;
  if (places < PLACES_COUNT_MIN) {
    throw new SqlError(
      'config_file_error',
      `the system lets this process have ${openFiles} files open, and a server needs ` +
        `${OWN_FILES_COUNT + PLACES_COUNT_MIN} at least`,
      { hint: 'Raise the limit, for example with `ulimit -n 8192`, and start it again.' },
    );
  }
  const share = Math.min(1, places / (wanted.signedIn + wanted.waiting + wanted.http));
  return {
    signedIn: Math.floor(wanted.signedIn * share),
    waiting: Math.floor(wanted.waiting * share),
    http: Math.floor(wanted.http * share),
  };
}
