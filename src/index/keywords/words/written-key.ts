/**
 * Words as written beside terms: whoever asks an index by a key gets the rows of a term, or, where the key is
 * marked, those of a word as written. No text holds a zero, so that no term looks like one.
 */
const MARK = '\0';

export const writtenKey = (word: string): string => MARK + word;

export const isWrittenKey = (key: string): boolean => key.charCodeAt(0) === 0;

/** The word of a marked key. */
export const wordOfKey = (key: string): string => key.slice(MARK.length);

/** Text of a key, to be shown. */
export const textOfKey = (key: string): string => (isWrittenKey(key) ? wordOfKey(key) : key);
