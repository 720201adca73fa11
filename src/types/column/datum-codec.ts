/** Datums of any kind as bytes and back, without their types: a tag, then fields. For `batch-codec.ts` only. */
import { unreachable } from '../../assert.ts';
import type {
  ArrayDatum,
  BitsDatum,
  Datum,
  IntervalDatum,
  MatrixDatum,
  NumericDatum,
  ObjectDatum,
  RangeDatum,
  RecordDatum,
  SparseDatum,
} from '../datum.ts';
import { decodeUtf8 } from '../text/utf8.ts';
import { ByteWriter } from './byte-writer.ts';
import { viewOf } from './bytes.ts';

/** A tag's place in this list is its byte. */
const TAGS = [
  'null',
  'false',
  'true',
  'number',
  'long',
  'bigint',
  'string',
  'bytes',
  'floats',
  'array',
  'record',
  'interval',
  'numeric',
  'sparse',
  'matrix',
  'bits',
  'range',
] as const;

type Tag = (typeof TAGS)[number];

const TAG = Object.fromEntries(TAGS.map((tag, i) => [tag, i])) as Readonly<Record<Tag, number>>;
const SPECIALS = [undefined, 'NaN', 'Infinity', '-Infinity'] as const;

const isLong = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

export class DatumWriter {
  readonly #out = new ByteWriter(1024);

  finish(): Uint8Array {
    return this.#out.finish();
  }

  write(datum: Datum): void {
    if (typeof datum === 'bigint') this.#bigint(datum);
    else if (typeof datum === 'string') {
      this.#tag('string');
      this.#text(datum);
    } else if (typeof datum === 'number') {
      this.#tag('number');
      this.#number(datum);
    } else if (datum === null) this.#tag('null');
    else if (typeof datum === 'boolean') this.#tag(datum ? 'true' : 'false');
    else if (datum instanceof Uint8Array) this.#bytes('bytes', datum);
    else if (datum instanceof Float32Array) this.#bytes('floats', datum);
    else this.#object(datum);
  }

  #object(datum: ObjectDatum): void {
    this.#tag(datum.datum);
    switch (datum.datum) {
      case 'array':
        this.#array(datum);
        break;
      case 'record':
        this.#record(datum);
        break;
      case 'interval':
        this.#interval(datum);
        break;
      case 'numeric':
        this.#numeric(datum);
        break;
      case 'sparse':
        this.#number(datum.dimension);
        this.#bytes('bytes', datum.indices);
        this.#bytes('floats', datum.values);
        break;
      case 'matrix':
        this.#number(datum.rows);
        this.#number(datum.dimension);
        this.#bytes('floats', datum.values);
        break;
      case 'bits':
        this.#number(datum.length);
        this.#bytes('bytes', datum.bytes);
        break;
      case 'range':
        this.#range(datum);
        break;
      default:
        unreachable(datum);
    }
  }

  #array({ elementType, dimensions, elements }: ArrayDatum): void {
    this.#number(elementType);
    this.#number(dimensions.length);
    for (const { length, lowerBound } of dimensions) {
      this.#number(length);
      this.#number(lowerBound);
    }
    this.#list(elements);
  }

  #record({ types, names, fields }: RecordDatum): void {
    this.#list(types);
    this.#list(names ?? []);
    this.#list(fields);
  }

  #interval({ months, days, micros }: IntervalDatum): void {
    this.#number(months);
    this.#number(days);
    this.write(micros);
  }

  #numeric({ digits, scale, special }: NumericDatum): void {
    this.#out.writeByte(SPECIALS.indexOf(special));
    this.#number(scale);
    this.write(digits);
  }

  #range(range: RangeDatum): void {
    this.#number(range.rangeType);
    this.write(range.isEmpty);
    this.write(range.lowerInclusive);
    this.write(range.upperInclusive);
    this.write(range.lower);
    this.write(range.upper);
  }

  #bigint(value: bigint): void {
    if (isLong(value)) {
      this.#tag('long');
      this.#out.writeInt64(value);
    } else {
      this.#tag('bigint');
      this.#text(value.toString(16));
    }
  }

  #list(datums: readonly Datum[]): void {
    this.#number(datums.length);
    for (const datum of datums) this.write(datum);
  }

  #tag(tag: Tag): void {
    this.#out.writeByte(TAG[tag]);
  }

  /** Whole, or a type's OID. */
  #number(value: number): void {
    this.#out.writeFloat64(value);
  }

  #text(text: string): void {
    const at = this.#out.size;
    this.#out.writeInt32(0);
    this.#out.writeUtf8(text);
    this.#out.patchInt32(at, this.#out.size - at - 4);
  }

  #bytes(tag: 'bytes' | 'floats', values: ArrayBufferView): void {
    this.#tag(tag);
    this.#out.writeInt32(values.byteLength);
    this.#out.writeBytes(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }
}

export class DatumReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
  }

  read(): Datum {
    const tag = TAGS[this.#byte()] as Tag;
    switch (tag) {
      case 'null':
        return null;
      case 'false':
        return false;
      case 'true':
        return true;
      case 'number':
        return this.#number();
      case 'long':
        this.#at += 8;
        return this.#view.getBigInt64(this.#at - 8);
      case 'bigint':
        return bigintOf(this.#text());
      case 'string':
        return this.#text();
      case 'bytes':
        return this.#copy();
      case 'floats':
        return new Float32Array(this.#copy().buffer);
      default:
        return this.#object(tag);
    }
  }

  #object(tag: ObjectDatum['datum']): ObjectDatum {
    switch (tag) {
      case 'array':
        return this.#array();
      case 'record':
        return this.#record();
      case 'interval':
        return { datum: tag, months: this.#number(), days: this.#number(), micros: this.read() as bigint };
      case 'numeric':
        return this.#numeric();
      case 'sparse':
        return this.#sparse();
      case 'matrix':
        return this.#matrix();
      case 'bits':
        return this.#bits();
      case 'range':
        return this.#range();
      default:
        return unreachable(tag);
    }
  }

  #array(): ArrayDatum {
    const elementType = this.#number();
    const dimensions = Array.from({ length: this.#number() }, () => ({
      length: this.#number(),
      lowerBound: this.#number(),
    }));
    return { datum: 'array', elementType, dimensions, elements: this.#list() };
  }

  #record(): RecordDatum {
    const types = this.#list() as number[];
    const names = this.#list() as string[];
    const fields = this.#list();
    return { datum: 'record', types, ...(names.length > 0 && { names }), fields };
  }

  #numeric(): NumericDatum {
    const special = SPECIALS[this.#byte()];
    const scale = this.#number();
    const digits = this.read() as bigint;
    return { datum: 'numeric', digits, scale, ...(special && { special }) };
  }

  #sparse(): SparseDatum {
    const dimension = this.#number();
    const indices = new Uint32Array((this.read() as Uint8Array).buffer);
    return { datum: 'sparse', dimension, indices, values: this.read() as Float32Array };
  }

  #matrix(): MatrixDatum {
    const [rows, dimension] = [this.#number(), this.#number()];
    return { datum: 'matrix', rows, dimension, values: this.read() as Float32Array };
  }

  #bits(): BitsDatum {
    return { datum: 'bits', length: this.#number(), bytes: this.read() as Uint8Array };
  }

  #range(): RangeDatum {
    return {
      datum: 'range',
      rangeType: this.#number(),
      isEmpty: this.read() as boolean,
      lowerInclusive: this.read() as boolean,
      upperInclusive: this.read() as boolean,
      lower: this.read(),
      upper: this.read(),
    };
  }

  #list(): Datum[] {
    return Array.from({ length: this.#number() }, () => this.read());
  }

  #byte(): number {
    return this.#bytes[this.#at++] as number;
  }

  #number(): number {
    this.#at += 8;
    return this.#view.getFloat64(this.#at - 8);
  }

  #length(): number {
    this.#at += 4;
    return this.#view.getInt32(this.#at - 4);
  }

  #text(): string {
    const end = this.#length() + this.#at;
    const text = decodeUtf8(this.#bytes, this.#at, end);
    this.#at = end;
    return text;
  }

  /** Bytes with memory of their own. */
  #copy(): Uint8Array<ArrayBuffer> {
    const end = this.#length() + this.#at;
    const copy = new Uint8Array(end - this.#at);
    copy.set(this.#bytes.subarray(this.#at, end));
    this.#at = end;
    return copy;
  }
}

const bigintOf = (hex: string): bigint =>
  hex.startsWith('-') ? -BigInt(`0x${hex.slice(1)}`) : BigInt(`0x${hex}`);
