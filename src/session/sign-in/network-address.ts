/** Addresses of clients as bytes: 4 of IPv4, also where it is written as IPv6 (`::ffff:10.0.0.1`), else 16. */
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
