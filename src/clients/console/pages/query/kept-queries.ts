/** Texts that were run in this browser, newest first, and the one in the editor: kept, so that nothing typed is lost. */

const HISTORY = 'quern.history';
const DRAFT = 'quern.draft';
const HISTORY_COUNT_MAX = 200;
/** Longer texts are not kept: the browser has little room. */
const KEPT_CHARACTERS_MAX = 20_000;

export interface Ran {
  readonly text: string;
  /** ISO 8601. */
  readonly at: string;
}

export function ranBefore(): readonly Ran[] {
  try {
    return JSON.parse(localStorage.getItem(HISTORY) ?? '[]') as Ran[];
  } catch {
    return [];
  }
}

export function noteRan(text: string): void {
  if (text.trim() === '' || text.length > KEPT_CHARACTERS_MAX) return;
  const others = ranBefore().filter((one) => one.text !== text);
  keep(
    HISTORY,
    JSON.stringify([{ text, at: new Date().toISOString() }, ...others].slice(0, HISTORY_COUNT_MAX)),
  );
}

/** Drafts of saved queries stand beside the one of what has no name. */
const keyOf = (saved: string | null): string => (saved === null ? DRAFT : `${DRAFT}:${saved}`);

/** Null: nothing was typed that is not saved. */
export const draft = (saved: string | null): string | null => localStorage.getItem(keyOf(saved));

export const keepDraft = (text: string, saved: string | null): void =>
  keep(keyOf(saved), text.slice(0, 20 * KEPT_CHARACTERS_MAX));

export const forgetDraft = (saved: string): void => localStorage.removeItem(keyOf(saved));

function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // No room is left: what was kept before stays.
  }
}
