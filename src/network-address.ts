/** Addresses of clients as bytes: 4 of IPv4, also where it is written as IPv6 (`::ffff:10.0.0.1`), else 16. */
import { isIP, isIPv4 } from 'node:net';

export function addressBytes(address: string): readonly number[] {
  const mapped = /^(?:::ffff:)?(\d+)\.(\d+)\.(\d+)\.(\d+)$/i.exec(address);
  if (mapped !== null) return mapped.slice(1).map(Number);
  const [head = '', tail = ''] = (address.split('%')[0] ?? '').split('::');
  const first = groupsOf(head);
  const last = groupsOf(tail);
  const zeros = new Array<number>(Math.max(0, 8 - first.length - last.length)).fill(0);
  return [...first, ...zeros, ...last].flatMap((group) => [group >> 8, group & 0xff]);
}

const groupsOf = (text: string): number[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));

/** `10.0.0.0/8`, `2001:db8::/32`, or one address. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  if (isIP(address) === 0 || address.includes('%') || more.length > 0) return false;
  if (bits === undefined) return true;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (isIPv4(address) ? 32 : 128);
}

/** @param network one for which `isNetwork` holds. */
export function isWithin(address: string, network: string): boolean {
  const [base = '', written] = network.split('/');
  const known = addressBytes(base);
  const given = addressBytes(address);
  if (isIP(address.split('%')[0] ?? '') === 0 || known.length !== given.length) return false;
  // `::ffff:10.0.0.0/104` counts the bits of IPv6.
  const all = written === undefined ? known.length * 8 : Number(written);
  const bits = base.includes(':') && known.length === 4 && written !== undefined ? all - 96 : all;
  return known.every((byte, i) => {
    const left = Math.min(8, Math.max(0, bits - 8 * i));
    const mask = (0xff << (8 - left)) & 0xff;
    return (byte & mask) === ((given[i] ?? 0) & mask);
  });
}

/** This machine's own. */
export const isLoopback = (address: string): boolean =>
  address === '::1' || /^(::ffff:)?127\./i.test(address);

/** IPv4 as such, also where the socket is one of IPv6. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');
