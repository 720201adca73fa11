/** Questions that are typed and not asked yet, and the datasets asked last: kept in this browser. */

const DRAFT = 'quern.question.';
const SCOPE = 'quern.question-datasets';

/** @param thread empty: none. */
export const draftOf = (thread: string): string => sessionStorage.getItem(DRAFT + thread) ?? '';

export function keepDraft(thread: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(DRAFT + thread);
    else sessionStorage.setItem(DRAFT + thread, text);
  } catch {
    // No room is left; it is still on the page.
  }
}

/** Null: all. */
export function scope(): readonly string[] | null {
  try {
    return JSON.parse(localStorage.getItem(SCOPE) ?? 'null') as string[] | null;
  } catch {
    return null;
  }
}

export const keepScope = (datasets: readonly string[]): void =>
  localStorage.setItem(SCOPE, JSON.stringify(datasets));
