/**
 * Files on their way into datasets, for as long as the page is open, whichever of its pages is looked at. Some are sent at a
 * time; then the server's handles tell how far it has read them. One thing to know: where the session is over or the server is
 * gone, what is being sent waits and goes on afterwards; nothing has to be dropped again.
 */
import { useSyncExternalStore } from 'react';
import { faultOf } from '../../../server/messages.ts';
import { whenPassed } from '../../../server/passing.ts';
import { WORDS } from '../../../words.ts';
import { askHandles } from './handles.ts';
import { type Held, takeBack } from './parts.ts';
import { sendFile } from './send.ts';
import type { FoundFile } from './walk.ts';

export type UploadState = 'waiting' | 'sending' | 'reading' | 'ready' | 'failed' | 'stopped';

export interface Upload {
  readonly number: number;
  readonly dataset: string;
  readonly docId: string;
  readonly metadata: object | null;
  readonly found: FoundFile;
  /** Part of it that the server has, until it is whole. */
  readonly held: Held;
  state: UploadState;
  /** Null: not known before it is opened. */
  size: number | null;
  sent: number;
  handle: string | null;
  /** As the server calls how far it is. */
  serverState: string | null;
  pages: number;
  pagesDone: number;
  reason: string | null;
}

const LANES = 3;
const ASK_HANDLES_MS = 700;
/** React is told of bytes that were sent as often as one can see. */
const TELL_MS = 100;

export interface UploadsState {
  readonly all: readonly Upload[];
  readonly counts: Readonly<Record<UploadState, number>>;
  readonly isBusy: boolean;
  /** Folders are still being looked through. */
  readonly isFinding: boolean;
}

const NONE: UploadsState = {
  all: [],
  counts: { waiting: 0, sending: 0, reading: 0, ready: 0, failed: 0, stopped: 0 },
  isBusy: false,
  isFinding: false,
};

class Uploads {
  readonly #listeners = new Set<() => void>();
  readonly #byDataset = new Map<
    string,
    { list: Upload[]; ids: Set<string>; finding: number; shown: UploadsState }
  >();
  readonly #sending = new Map<Upload, AbortController>();
  #queue: Upload[] = [];
  #number = 0;
  #tellTimer: ReturnType<typeof setTimeout> | null = null;
  #isAsking = false;

  readonly subscribe = (tell: () => void): (() => void) => {
    this.#listeners.add(tell);
    return () => this.#listeners.delete(tell);
  };

  readonly stateOf = (dataset: string): UploadsState => this.#byDataset.get(dataset)?.shown ?? NONE;

  async add(
    dataset: string,
    files: AsyncIterable<FoundFile> | Iterable<FoundFile>,
    metadata: object | null = null,
  ) {
    const of = this.#of(dataset);
    of.finding++;
    this.#tell();
    try {
      for await (const found of files) this.#take(dataset, found, metadata);
    } finally {
      of.finding--;
      this.#tell();
    }
  }

  /** One file for one document, whatever the file is called. */
  replace(dataset: string, docId: string, file: File, metadata: object | null): void {
    this.#of(dataset).ids.delete(docId);
    this.#take(dataset, { id: docId, load: async () => file }, metadata);
  }

  retry(upload: Upload): void {
    Object.assign(upload, { state: 'waiting', reason: null, handle: null, sent: 0, pagesDone: 0 });
    this.#queue.push(upload);
    this.#begin();
  }

  /** Ends what is being sent, and sends no more; the server goes on with what it has. */
  stop(dataset: string): void {
    for (const upload of this.#of(dataset).list) {
      if (upload.state === 'waiting' || upload.state === 'sending') upload.state = 'stopped';
      this.#sending.get(upload)?.abort();
    }
    this.#queue = this.#queue.filter((upload) => upload.state === 'waiting');
    this.#tell();
  }

  /** Takes what is over out of the list. */
  clear(dataset: string): void {
    const of = this.#of(dataset);
    of.list = of.list.filter(
      ({ state }) => state === 'waiting' || state === 'sending' || state === 'reading',
    );
    of.ids = new Set(of.list.map(({ docId }) => docId));
    this.#tell();
  }

  #of(dataset: string) {
    let of = this.#byDataset.get(dataset);
    if (of === undefined) {
      of = { list: [], ids: new Set(), finding: 0, shown: NONE };
      this.#byDataset.set(dataset, of);
    }
    return of;
  }

  #take(dataset: string, found: FoundFile, metadata: object | null): void {
    const of = this.#of(dataset);
    const isTwice = of.ids.has(found.id);
    of.ids.add(found.id);
    const upload: Upload = {
      number: this.#number++,
      dataset,
      docId: found.id,
      metadata,
      found,
      held: { token: null },
      state: isTwice ? 'failed' : 'waiting',
      size: null,
      sent: 0,
      handle: null,
      serverState: null,
      pages: 0,
      pagesDone: 0,
      reason: isTwice ? WORDS.datasets.upload.twice : null,
    };
    of.list.push(upload);
    if (!isTwice) this.#queue.push(upload);
    this.#begin();
  }

  #begin(): void {
    while (this.#sending.size < LANES) {
      const next = this.#queue.shift();
      if (next === undefined) break;
      void this.#send(next);
    }
    this.#tell();
  }

  async #send(upload: Upload): Promise<void> {
    const stopping = new AbortController();
    this.#sending.set(upload, stopping);
    upload.state = 'sending';
    try {
      const file = await upload.found.load();
      upload.size = file.size;
      const onBytes = (sent: number): void => {
        upload.sent = sent;
        this.#tell();
      };
      const { dataset, docId, metadata, held } = upload;
      const { signal } = stopping;
      upload.handle = await sendFile(file, { dataset, docId, metadata, held, onBytes, signal });
      upload.state = 'reading';
      void this.#ask();
    } catch (error) {
      if (!stopping.signal.aborted) await this.#failed(upload, error);
      else takeBack(upload.held);
    } finally {
      this.#sending.delete(upload);
      this.#begin();
    }
  }

  async #failed(upload: Upload, error: unknown): Promise<void> {
    const fault = faultOf(error);
    const passed = whenPassed(fault);
    if (passed === null) {
      Object.assign(upload, { state: 'failed', reason: fault.message });
      return;
    }
    upload.state = 'waiting';
    this.#queue.unshift(upload);
    this.#tell();
    await passed;
  }

  /** Asks how far the server is, until it is done with all. */
  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    for (;;) {
      const reading = [...this.#byDataset.values()].flatMap(({ list }) =>
        list.filter((one) => one.state === 'reading'),
      );
      if (reading.length === 0) break;
      await askHandles(reading).catch(() => undefined);
      this.#tell();
      await new Promise((resolve) => setTimeout(resolve, ASK_HANDLES_MS));
    }
    this.#isAsking = false;
  }

  #tell(): void {
    this.#tellTimer ??= setTimeout(() => {
      this.#tellTimer = null;
      for (const of of this.#byDataset.values()) of.shown = shownOf(of.list, of.finding > 0);
      for (const tell of this.#listeners) tell();
    }, TELL_MS);
  }
}

function shownOf(all: readonly Upload[], isFinding: boolean): UploadsState {
  const counts = { ...NONE.counts };
  for (const { state } of all) counts[state]++;
  return {
    all,
    counts,
    isFinding,
    isBusy: isFinding || counts.waiting + counts.sending + counts.reading > 0,
  };
}

export const uploads = new Uploads();

export const useUploads = (dataset: string): UploadsState =>
  useSyncExternalStore(uploads.subscribe, () => uploads.stateOf(dataset));
