/** Addresses as the kernel's table of connections writes them. */
import { expect, it } from 'vitest';
import { hexAddress } from './peer-watch.ts';

it.each([
  ['127.0.0.1', '0100007F'],
  ['::ffff:10.1.2.3', '0302010A'],
  ['::1', '00000000000000000000000001000000'],
  ['2001:db8::2', 'B80D0120000000000000000002000000'],
])('%s is %s', (address, text) => expect(hexAddress(address)).toBe(text));
