/** UTF-8 bytes of many short texts: copied and decoded without a call a text. */

const DECODER = new TextDecoder();

/** Short texts are copied by hand: a call into `set` costs more than 32 byte moves. */
export function copyBytes(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): void {
  if (end - start > 32) to.set(from.subarray(start, end), at);
  else for (let i = start; i < end; i++) to[at++] = from[i] as number;
}

/** Short ASCII texts are built by hand: TextDecoder's call costs about 200 ns whatever it decodes. */
export function decodeUtf8(bytes: Uint8Array, start: number, end: number): string {
  if (end - start <= 24) {
    let text = '';
    let i = start;
    for (; i < end; i++) {
      const byte = bytes[i] as number;
      if (byte > 127) break;
      text += String.fromCharCode(byte);
    }
    if (i === end) return text;
  }
  return DECODER.decode(shareSafe(bytes.subarray(start, end)));
}

/** TextDecoder refuses shared memory, so those bytes are copied first. */
function shareSafe(bytes: Uint8Array): Uint8Array {
  return bytes.buffer instanceof SharedArrayBuffer ? bytes.slice() : bytes;
}
