/**
 * Keys that work everywhere: `⌘K`, `?`, `/`, and `g` with a letter. Those of one letter are quiet while one types, and can be
 * switched off (WCAG 2.1.4).
 */
import { useEffect } from 'react';
import { PAGES } from '../pages.ts';

export interface KeyActions {
  readonly areSinglesOn: boolean;
  go(path: string): void;
  palette(): void;
  help(): void;
}

/** So long `g` waits for its letter. */
const GO_MS = 1200;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.closest('input, textarea, select, [role=textbox]') !== null);

/** The page's search box is the first one that says so. */
function focusSearch(): boolean {
  const box = document.querySelector<HTMLInputElement>('[data-search] input, input[type=search]');
  box?.focus();
  box?.select();
  return box !== null;
}

export function useKeys({ areSinglesOn, go, palette, help }: KeyActions): void {
  useEffect(() => {
    let goneAt = Number.NEGATIVE_INFINITY;
    const single = (event: KeyboardEvent): boolean => {
      if (event.timeStamp - goneAt < GO_MS) {
        goneAt = Number.NEGATIVE_INFINITY;
        const page = PAGES.find(({ letter }) => letter === event.key);
        if (page !== undefined) go(`/${page.path}`);
        return page !== undefined;
      }
      if (event.key === 'g') goneAt = event.timeStamp;
      else if (event.key === '?') help();
      else return event.key === '/' && focusSearch();
      return true;
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') palette();
      else if (event.metaKey || event.ctrlKey || event.altKey) return;
      else if (!areSinglesOn || isTyping(event.target) || document.querySelector('[role=dialog]')) return;
      else if (!single(event)) return;
      event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [areSinglesOn, go, palette, help]);
}
