/** Kind of file that some bytes are, as far as the first of them tell. */

const HEAD_BYTES = 8 * 1024;

const headOf = (bytes: Uint8Array, count = HEAD_BYTES): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(count, bytes.byteLength)).toString('latin1');

/** A ZIP archive with a part in that folder; the list of parts stands at its end. */
export function isArchiveWith(bytes: Uint8Array, folder: string): boolean {
  if (!headOf(bytes, 4).startsWith('PK\x03\x04')) return false;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(folder);
}

export const looksLikeHtml = (bytes: Uint8Array): boolean =>
  /^(?:ï»¿)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:!doctype html|html|head|body)\b/i.test(
    headOf(bytes),
  );

/** Header lines from the first on, one of them of a message. */
export function looksLikeMessage(bytes: Uint8Array): boolean {
  const head = headOf(bytes);
  const isHeader = /^(?:[\w-]+:[^\n]*\r?\n(?:[ \t][^\n]*\r?\n)*){2}/.test(head);
  return isHeader && /^(?:message-id|mime-version|received|return-path|delivered-to):/im.test(head);
}

/** A PDF that has lost its first line. */
export const looksLikePdfSource = (bytes: Uint8Array): boolean => /\d+ \d+ obj\b/.test(headOf(bytes));

/** No zero bytes, but in UTF-16, which begins with a mark; hardly any control characters. */
export function isText(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, HEAD_BYTES);
  const isWide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  if (isWide) return true;
  const controls = head.filter(
    (byte) => byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13,
  );
  return !head.includes(0) && controls.length <= head.length / 100;
}

/** OLE's container: Office files of before 2007, and encrypted ones of after. */
export const isCompoundFile = (bytes: Uint8Array): boolean => headOf(bytes, 4) === '\xd0\xcf\x11\xe0';

/** An Office file of after 2006 within a password's container, which names its streams in UTF-16. */
export const isEncryptedOffice = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(
    Buffer.from('EncryptedPackage', 'utf16le'),
  );

export const isTiff = (bytes: Uint8Array): boolean => ['II*\0', 'MM\0*'].includes(headOf(bytes, 4));
