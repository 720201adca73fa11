/** Bytes of a text file as text: by byte order mark, else UTF-8 where it is valid, else as chardet guesses. */
import { detect } from 'chardet';

/** UTF-32 begins as UTF-16 does, so it is asked for first. */
const UTF_32_MARK = [0xff, 0xfe, 0, 0] as const;
const MARKS: readonly { readonly bytes: readonly number[]; readonly encoding: string }[] = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
];
const FALLBACK = 'windows-1252';
const GUESSED_BYTES = 64 * 1024;

/** @param declared what the file says of itself; it counts where the bytes are no UTF-8. */
export function decodeText(bytes: Uint8Array, declared?: string): string {
  if (UTF_32_MARK.every((byte, i) => bytes[i] === byte))
    return decodeUtf32(bytes.subarray(UTF_32_MARK.length));
  const mark = MARKS.find((candidate) => candidate.bytes.every((byte, i) => bytes[i] === byte));
  if (mark !== undefined) return new TextDecoder(mark.encoding).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return decoderOf(declared ?? guessed(bytes.subarray(0, GUESSED_BYTES))).decode(bytes);
  }
}

/** Short Japanese texts are no statistics: pairs that begin with what windows-1252 hardly uses tell them. */
function guessed(bytes: Uint8Array): string {
  return looksLikeShiftJis(bytes) ? 'shift_jis' : (detect(bytes) ?? FALLBACK);
}

const TRAIL_BYTES_MIN = 0x40;

function looksLikeShiftJis(bytes: Uint8Array): boolean {
  let pairs = 0;
  let low = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    const isLow = byte >= 0x81 && byte <= 0x9f;
    if (!isLow && (byte < 0xe0 || byte > 0xfc)) continue;
    if (++at < bytes.length && (bytes[at] as number) < TRAIL_BYTES_MIN) return false;
    pairs++;
    if (isLow) low++;
  }
  return (
    pairs > 0 && low > pairs / 2 && !/[\ufffd\ue000-\uf8ff]/.test(new TextDecoder('shift_jis').decode(bytes))
  );
}

function decoderOf(encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding);
  } catch {
    return new TextDecoder(FALLBACK);
  }
}

/** Little-endian; what is no character becomes U+FFFD. */
function decodeUtf32(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: string[] = [];
  for (let at = 0; at + 4 <= bytes.byteLength; at += 4) {
    const point = view.getUint32(at, true);
    parts.push(point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd');
  }
  return parts.join('').toWellFormed();
}
