/** Marks before an item of a list. */

const BULLET = /^[•◦‣⁃∙·▪▫■□●○◆◇➢➤►▶✓✔❖★☐☑–—*o\u00a7-]$/;
const NUMBER =
  /^(?:\(?(?:\d{1,3}|[a-z]|[ivxlc]{1,6})[.)]|\d{1,2}(?:\.\d{1,2}){1,3}\.?|[A-Z][.)]|\([A-Z]\))$/i;

export const isListMark = (text: string): boolean => BULLET.test(text) || NUMBER.test(text);

/** A mark that heads a line whatever follows: not a dash or letter that could be text. */
export const isBullet = (text: string): boolean => /^[•◦‣⁃∙·▪▫■□●○◆◇➢➤►▶✓✔❖☐☑]$/.test(text);
