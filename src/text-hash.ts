/** A hash of a text that is the same everywhere and for ever: what is made of it is stored. */

/** FNV-1a over UTF-16 units, 32 bits, not mixed any further. @param salt another hash for each. */
export function hashText(text: string, salt = 0): number {
  let hash = 0x811c9dc5 ^ salt;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}
