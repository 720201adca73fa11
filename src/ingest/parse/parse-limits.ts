/** Limits of one file. */
import type { ParseLimits } from '../formats/format.ts';

export const PARSE_LIMITS: ParseLimits = { pagesMax: 10_000, imagePixelsMax: 64_000_000 };
