/** Light, dark, or as the system: kept in this browser. */
import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

const KEPT = 'quern.theme';

export const keptTheme = (): Theme => {
  const kept = localStorage.getItem(KEPT);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
};

export function applyTheme(theme: Theme = keptTheme()): void {
  if (theme === 'system') {
    localStorage.removeItem(KEPT);
    delete document.documentElement.dataset.theme;
    return;
  }
  localStorage.setItem(KEPT, theme);
  document.documentElement.dataset.theme = theme;
}

const DARK = matchMedia('(prefers-color-scheme: dark)');

function subscribe(tell: () => void): () => void {
  const observer = new MutationObserver(tell);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  DARK.addEventListener('change', tell);
  return () => {
    observer.disconnect();
    DARK.removeEventListener('change', tell);
  };
}

/** The theme that is seen now: for what is drawn by code, which no style sheet draws anew. */
export const useShownTheme = (): 'light' | 'dark' =>
  useSyncExternalStore(subscribe, () => {
    const kept = keptTheme();
    if (kept !== 'system') return kept;
    return DARK.matches ? 'dark' : 'light';
  });
