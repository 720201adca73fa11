/** Base64 on every runtime. */

const CHUNK = 0x8000;

export function toBase64(bytes: Uint8Array): string {
  if (typeof Buffer !== 'undefined') {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  }
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK) {
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return btoa(text);
}

export const fromBase64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text), (one) => one.charCodeAt(0));

export function fromHex(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length >> 1);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(text.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}

export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (one) => one.toString(16).padStart(2, '0')).join('');
