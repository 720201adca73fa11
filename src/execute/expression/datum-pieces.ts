/**
 * Large values on their way between processes, in pieces: a structured clone of one piece takes a few
 * milliseconds, and of the whole it would take seconds. Small values go as they are, many in one piece.
 */
import { assert } from '../../assert.ts';
import type { ArrayDatum, Datum, RecordDatum } from '../../types/datum.ts';
import { weightOf } from '../../types/weight.ts';

const PIECE_WEIGHT = 1024 * 1024;

type Shell =
  | { readonly of: 'text' }
  | { readonly of: 'bytes'; readonly length: number }
  | { readonly of: 'array'; readonly shape: Omit<ArrayDatum, 'elements'> }
  | { readonly of: 'record'; readonly shape: Omit<RecordDatum, 'fields'> };

export type Piece =
  | { readonly kind: 'values'; readonly values: readonly Datum[] }
  | { readonly kind: 'open'; readonly shell: Shell }
  | { readonly kind: 'close' };

const CLOSE: Piece = { kind: 'close' };
const values = (given: readonly Datum[]): Piece => ({ kind: 'values', values: given });
const open = (shell: Shell): Piece => ({ kind: 'open', shell });

export function* piecesOf(datum: Datum): Generator<Piece> {
  const isWhole = weightOf(datum) <= PIECE_WEIGHT;
  if (isWhole || datum === null || (typeof datum !== 'string' && typeof datum !== 'object')) {
    yield values([own(datum)]);
  } else if (typeof datum === 'string') {
    yield open({ of: 'text' });
    for (let at = 0; at < datum.length; at += PIECE_WEIGHT)
      yield values([datum.slice(at, at + PIECE_WEIGHT)]);
    yield CLOSE;
  } else if (datum instanceof Uint8Array) {
    yield open({ of: 'bytes', length: datum.length });
    for (let at = 0; at < datum.length; at += PIECE_WEIGHT)
      yield values([datum.slice(at, at + PIECE_WEIGHT)]);
    yield CLOSE;
  } else if ('elements' in datum) {
    const { elements, ...shape } = datum;
    yield open({ of: 'array', shape });
    yield* grouped(elements);
    yield CLOSE;
  } else if ('fields' in datum) {
    const { fields, ...shape } = datum;
    yield open({ of: 'record', shape });
    yield* grouped(fields);
    yield CLOSE;
  } else yield values([own(datum)]);
}

/** The clone of a view is one of its whole buffer. */
function own(datum: Datum): Datum {
  if (datum instanceof Uint8Array || datum instanceof Float32Array) {
    return datum.byteLength < datum.buffer.byteLength ? datum.slice() : datum;
  }
  return datum;
}

const PLACE_WEIGHT = 24;

/** Bytes that it adds to the value that is put together from it. */
export const weightOfPiece = (piece: Piece): number =>
  piece.kind === 'values'
    ? piece.values.reduce<number>((sum, value) => sum + weightOf(value) + PLACE_WEIGHT, 0)
    : PLACE_WEIGHT;

function* grouped(items: readonly Datum[]): Generator<Piece> {
  let group: Datum[] = [];
  let weight = 0;
  for (const item of items) {
    const itemWeight = weightOf(item) + PLACE_WEIGHT;
    if (weight + itemWeight > PIECE_WEIGHT && group.length > 0) {
      yield values(group);
      group = [];
      weight = 0;
    }
    if (itemWeight > PIECE_WEIGHT) yield* piecesOf(item);
    else {
      group.push(own(item));
      weight += itemWeight;
    }
  }
  if (group.length > 0) yield values(group);
}

/** Puts one value together from its pieces. */
export class DatumAssembly {
  readonly #open: { readonly shell: Shell; readonly parts: Datum[] }[] = [];
  #whole: Datum = null;

  add(piece: Piece): void {
    if (piece.kind === 'open') this.#open.push({ shell: piece.shell, parts: [] });
    else if (piece.kind === 'values') for (const value of piece.values) this.#put(value);
    else {
      const closed = this.#open.pop();
      assert(closed !== undefined, 'a piece closes what was opened');
      this.#put(assembled(closed.shell, closed.parts));
    }
  }

  finish(): Datum {
    assert(this.#open.length === 0, 'all pieces have come');
    return this.#whole;
  }

  #put(value: Datum): void {
    const outer = this.#open.at(-1);
    if (outer === undefined) this.#whole = value;
    else outer.parts.push(value);
  }
}

function assembled(shell: Shell, parts: Datum[]): Datum {
  switch (shell.of) {
    case 'text':
      return parts.join('');
    case 'bytes': {
      const bytes = new Uint8Array(shell.length);
      let at = 0;
      for (const part of parts as Uint8Array[]) {
        bytes.set(part, at);
        at += part.length;
      }
      return bytes;
    }
    case 'array':
      return { ...shell.shape, elements: parts };
    case 'record':
      return { ...shell.shape, fields: parts };
  }
}
