/** A query of a MaxSim search, as the kernels take it. */

/** Rows of a query matrix as the kernels read them: padded floats, and int16 codes (× scale). */
export interface QueryRows {
  readonly count: number;
  /** Each of `floatStride / 4` floats. */
  readonly floats: Float32Array;
  /** Each of `stride` codes. */
  readonly codes: Int16Array;
  readonly scales: Float64Array;
  /** Norm of each row, and of what quantising lost. */
  readonly norms: Float64Array;
  readonly errors: Float64Array;
  /** Precision of estimates: how many bits of a number, and how many numbers of a vector they go by; Infinity: all there are. */
  readonly planesMax: number;
  readonly numbersMax: number;
}
