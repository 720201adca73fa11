/** Light, dark, or as the system: kept in this browser. */

export type Theme = 'system' | 'light' | 'dark';

const KEPT = 'quern.theme';

const keptTheme = (): Theme => {
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
