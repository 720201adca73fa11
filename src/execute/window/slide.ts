/**
 * Aggregates whose frame slides: rows that leave are taken out again where that is exact, so that a frame costs
 * what changes, not what it holds. Sums of floats are not among them: (1e20 + 1) - 1e20 is not 1. The least and
 * the greatest are kept in a queue of rows that may still become it (a monotonic deque).
 */
import { checkInt8 } from '../../functions/number/arithmetic-kernels.ts';
import { aggregateById } from '../../functions/registry.ts';
import type { WindowCall } from '../../plan/plan.ts';
import type { Datum, NumericDatum } from '../../types/datum.ts';
import { divideNumeric, NUMERIC_NAN, numericOf, pow10 } from '../../types/number/numeric.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import type { Vector } from '../../types/column/vector.ts';

/** EXCLUDE cuts a frame into pieces, by number; rows enter and leave each in their order. */
export interface Sliding {
  enter(piece: number, row: number): void;
  leave(piece: number, row: number): void;
  value(): Datum;
}

/** Null where frames have to be gone through anew. @param args rows that count have no NULL there. */
export function slidingOf(call: WindowCall, args: readonly Vector[]): Sliding | null {
  const { name } = aggregateById(call.function);
  if (name === 'count') return new Count();
  const [arg, second] = args;
  const oid = call.args[0]?.type.oid ?? 0;
  if (arg === undefined || second !== undefined) return null;
  switch (name) {
    case 'sum':
      return sumOf(arg, oid);
    case 'avg':
      return sumOf(arg, oid) && new Mean(arg);
    case 'min':
    case 'max':
      return extremeOf(arg, oid, name === 'max' ? 1 : -1);
    case 'bool_and':
    case 'every':
      return new Truth(arg, false);
    case 'bool_or':
      return new Truth(arg, true);
    default:
      return null;
  }
}

const SMALL: ReadonlySet<number> = new Set([OID.int2, OID.int4]);

function sumOf(arg: Vector, oid: number): Sliding | null {
  if (SMALL.has(oid) || oid === OID.int8) return new IntegerSum(arg, oid);
  return oid === OID.numeric ? new DecimalSum(arg) : null;
}

class Count implements Sliding {
  #count = 0;

  enter(): void {
    this.#count++;
  }
  leave(): void {
    this.#count--;
  }
  value(): Datum {
    return BigInt(this.#count);
  }
}

class IntegerSum implements Sliding {
  readonly #arg: Vector;
  readonly #isSmall: boolean;
  #sum = 0n;
  #count = 0;

  constructor(arg: Vector, oid: number) {
    this.#arg = arg;
    this.#isSmall = SMALL.has(oid);
  }
  enter(_piece: number, row: number): void {
    this.#sum += BigInt(this.#arg.get(row) as number | bigint);
    this.#count++;
  }
  leave(_piece: number, row: number): void {
    this.#sum -= BigInt(this.#arg.get(row) as number | bigint);
    this.#count--;
  }
  value(): Datum {
    if (this.#count === 0) return null;
    return this.#isSmall ? checkInt8(this.#sum) : numericOf(this.#sum);
  }
}

/** A sum has the largest scale of its values, so those are counted by scale. */
class DecimalSum implements Sliding {
  readonly #arg: Vector;
  #digits = 0n;
  /** The scale of the digits; never becomes less. */
  #scale = 0;
  readonly #scales = new Map<number, number>();
  readonly #specials = { NaN: 0, Infinity: 0, '-Infinity': 0 };
  count = 0;

  constructor(arg: Vector) {
    this.#arg = arg;
  }
  enter(_piece: number, row: number): void {
    this.#add(row, 1);
  }
  leave(_piece: number, row: number): void {
    this.#add(row, -1);
  }

  #add(row: number, sign: 1 | -1): void {
    const datum = this.#arg.get(row);
    this.count += sign;
    if (typeof datum !== 'object') this.#addFinite(BigInt(datum as number | bigint), 0, sign);
    else {
      const { digits, scale, special } = datum as NumericDatum;
      if (special === undefined) this.#addFinite(digits, scale, sign);
      else this.#specials[special] += sign;
    }
  }

  #addFinite(digits: bigint, scale: number, sign: 1 | -1): void {
    if (scale > this.#scale) {
      this.#digits *= pow10(scale - this.#scale);
      this.#scale = scale;
    }
    const counted = (this.#scales.get(scale) ?? 0) + sign;
    if (counted === 0) this.#scales.delete(scale);
    else this.#scales.set(scale, counted);
    const shifted = scale === this.#scale ? digits : digits * pow10(this.#scale - scale);
    this.#digits += sign === 1 ? shifted : -shifted;
  }

  value(): NumericDatum | null {
    return this.count === 0 ? null : (this.#special() ?? this.#finite());
  }

  #special(): NumericDatum | null {
    const { NaN: nan, Infinity: positive, '-Infinity': negative } = this.#specials;
    if (nan > 0 || (positive > 0 && negative > 0)) return NUMERIC_NAN;
    if (positive > 0) return { datum: 'numeric', digits: 0n, scale: 0, special: 'Infinity' };
    return negative > 0 ? { datum: 'numeric', digits: 0n, scale: 0, special: '-Infinity' } : null;
  }

  #finite(): NumericDatum {
    const scale = Math.max(0, ...this.#scales.keys());
    return numericOf(scale === this.#scale ? this.#digits : this.#digits / pow10(this.#scale - scale), scale);
  }
}

/** The mean of integers and decimals, by their sum as decimal. */
class Mean implements Sliding {
  readonly #sum: DecimalSum;

  constructor(arg: Vector) {
    this.#sum = new DecimalSum(arg);
  }
  enter(piece: number, row: number): void {
    this.#sum.enter(piece, row);
  }
  leave(piece: number, row: number): void {
    this.#sum.leave(piece, row);
  }
  value(): Datum {
    const sum = this.#sum.value();
    return sum === null ? null : divideNumeric(sum, numericOf(BigInt(this.#sum.count)));
  }
}

/** Truth values, of which one decides: FALSE does for AND, TRUE for OR. */
class Truth implements Sliding {
  readonly #arg: Vector;
  readonly #deciding: boolean;
  #decided = 0;
  #count = 0;

  constructor(arg: Vector, deciding: boolean) {
    this.#arg = arg;
    this.#deciding = deciding;
  }
  enter(_piece: number, row: number): void {
    this.#count++;
    if (this.#arg.get(row) === this.#deciding) this.#decided++;
  }
  leave(_piece: number, row: number): void {
    this.#count--;
    if (this.#arg.get(row) === this.#deciding) this.#decided--;
  }
  value(): Datum {
    if (this.#count === 0) return null;
    return this.#decided > 0 ? this.#deciding : !this.#deciding;
  }
}

type Better = (later: Datum, earlier: Datum) => boolean;

/** The last of equal values counts, the first of blank-padded texts, as without a window. */
function extremeOf(arg: Vector, oid: number, sign: 1 | -1): Sliding | null {
  const { compare } = typeByOid(oid);
  if (compare === undefined) return null;
  if (oid === OID.bpchar) return new Extreme(arg, (later, earlier) => sign * compare(later, earlier) > 0);
  return new Extreme(arg, (later, earlier) => sign * compare(later, earlier) >= 0);
}

/** Rows of a piece that are better than all after them, the best first. */
class Candidates {
  readonly rows: number[] = [];
  first = 0;
}

class Extreme implements Sliding {
  readonly #arg: Vector;
  readonly #better: Better;
  readonly #pieces: Candidates[] = [];

  constructor(arg: Vector, better: Better) {
    this.#arg = arg;
    this.#better = better;
  }

  enter(piece: number, row: number): void {
    while (this.#pieces.length <= piece) this.#pieces.push(new Candidates());
    const candidates = this.#pieces[piece] as Candidates;
    const value = this.#arg.get(row);
    const { rows } = candidates;
    while (rows.length > candidates.first && this.#isBetter(value, rows.at(-1) as number)) rows.pop();
    rows.push(row);
  }

  leave(piece: number, row: number): void {
    const candidates = this.#pieces[piece] as Candidates;
    const { rows } = candidates;
    if (rows[candidates.first] !== row) return;
    candidates.first++;
    // The rest moves to the front when that is cheap for as many as have left.
    if (2 * candidates.first < rows.length) return;
    rows.splice(0, candidates.first);
    candidates.first = 0;
  }

  #isBetter(value: Datum, than: number): boolean {
    return this.#better(value, this.#arg.get(than));
  }

  value(): Datum {
    let best: Datum = null;
    for (const { rows, first } of this.#pieces) {
      const row = rows[first];
      if (row !== undefined && (best === null || this.#better(this.#arg.get(row), best))) {
        best = this.#arg.get(row);
      }
    }
    return best;
  }
}
