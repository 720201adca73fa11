/**
 * Pages of documents as pictures for browsers: drawn with the rights of whoever asks, of one version of the document or not at all,
 * so that a picture may be kept. A few at a time: each has its file in memory.
 */
import { SqlError } from '../../errors.ts';
import { Slots } from '../../inference/slots.ts';
import type { ServerSession } from '../server-session.ts';
import type { HeldKey } from '../sign-in/keys.ts';
import { integer, text } from './parameters.ts';
import { datasetSchema } from './relations.ts';

const AT_A_TIME = 3;
const WAITING_MAX = 60;

/** Somebody who has shown a key, and from where. */
interface Asker {
  readonly held: HeldKey;
  readonly address: string;
}

interface WantedPage {
  readonly dataset: string;
  readonly docId: string;
  readonly version: number;
  /** 1-based. */
  readonly page: number;
  /** Dots an inch. */
  readonly dpi: number;
}

export class PageImages {
  readonly #open: (asker: Asker) => ServerSession;
  readonly #slots = new Slots(AT_A_TIME);
  #asked = 0;

  /** @param open a session of the asker's, which only reads, at one snapshot. */
  constructor(open: (asker: Asker) => ServerSession) {
    this.#open = open;
  }

  /**
   * @returns PNG; null where that version has been replaced. @throws SqlError 0A000, 22023, 42501, 42704, 53400, 57P01; the
   * signal's reason.
   */
  async draw(asker: Asker, wanted: WantedPage, signal: AbortSignal): Promise<Uint8Array | null> {
    if (this.#asked >= AT_A_TIME + WAITING_MAX) {
      throw new SqlError('configuration_limit_exceeded', `${WAITING_MAX} pages wait to be drawn already`);
    }
    this.#asked++;
    try {
      using _ = await this.#slots.take(false, signal);
      await using session = this.#open(asker);
      return await this.#drawn(session, wanted, signal);
    } finally {
      this.#asked--;
    }
  }

  #drawn(session: ServerSession, wanted: WantedPage, signal: AbortSignal): Promise<Uint8Array | null> {
    const { dataset, docId, version, page, dpi } = wanted;
    return session.transaction(async (query) => {
      // A document that is not seen is told of by what follows, as one that is not there.
      const sql = `SELECT version FROM ${datasetSchema(dataset)}.documents WHERE _id = $1`;
      const [row] = await query(sql, text(docId));
      if (row !== undefined && Number(row.version) !== version) return null;
      const draw = 'SELECT quern.get_page($1, $2, $3, $4) AS png';
      const [drawn] = await query(draw, text(dataset), text(docId), integer(page), integer(dpi));
      return drawn?.png as Uint8Array;
    }, signal);
  }
}
