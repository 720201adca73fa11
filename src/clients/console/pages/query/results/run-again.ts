/** Which statements may be run a second time for their rows. */

const READS = /^\s*(?:(?:--[^\n]*\n|\/\*[\s\S]*?\*\/)\s*)*(?:select|with|values|table)\b/i;

/** True of a statement that a second run gives the rows of again. */
export const canRunAgain = (statement: string): boolean => READS.test(statement);
