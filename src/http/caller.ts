/**
 * The client of a request, and whether its way is safe for a key. What headers say of it counts where the connection is from a
 * proxy that the configuration names, and nowhere else: anybody can write headers.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { isLoopback, isWithin, plainAddress } from '../network-address.ts';
import { Refusal } from './refusal.ts';

export interface Caller {
  /** Address. */
  readonly peer: string;
  readonly isEncrypted: boolean;
  /** Path before all paths, as a proxy has it that takes it away: `/quern`, or nothing. */
  readonly prefix: string;
  /** A named proxy stands between. */
  readonly isForwarded: boolean;
}

/** Proxies behind each other are fewer. */
const FORWARDED_COUNT_MAX = 32;
const PREFIX = /^(?:\/[\w.~-]{1,100}){1,10}\/?$/;

/** @param trusted networks of proxies. @throws Refusal 400 for forwarding headers of a proxy that cannot be read. */
export function callerOf({ headers, socket }: IncomingMessage, trusted: readonly string[]): Caller {
  const peer = plainAddress(socket.remoteAddress ?? '');
  const isEncrypted = (socket as TLSSocket).encrypted === true;
  const isTrusted = (address: string): boolean => trusted.some((network) => isWithin(address, network));
  if (!isTrusted(peer)) return { peer, isEncrypted, prefix: '', isForwarded: false };
  const addresses = listOf('x-forwarded-for', headers).map(forwardedAddress);
  const schemes = listOf('x-forwarded-proto', headers).map(forwardedScheme);
  const client = addresses.findLast((address) => !isTrusted(address)) ?? addresses[0];
  return {
    peer: client ?? peer,
    // The way to the proxy is what it says of it; that from the proxy is the operator's to keep.
    isEncrypted: schemes.length > 0 ? schemes.every((scheme) => scheme === 'https') : isEncrypted && !client,
    prefix: forwardedPrefix(listOf('x-forwarded-prefix', headers)),
    isForwarded: true,
  };
}

/** A key that is sent is not read by others on the way. */
export const isSafe = ({ peer, isEncrypted }: Caller): boolean => isEncrypted || isLoopback(peer);

function listOf(name: string, headers: IncomingMessage['headers']): readonly string[] {
  const given = headers[name];
  if (given === undefined) return [];
  const list = String(given)
    .split(',')
    .map((one) => one.trim());
  if (list.length > FORWARDED_COUNT_MAX) throw malformed(name);
  return list;
}

/** Some write a port behind it. */
function forwardedAddress(text: string): string {
  const [, six, four] = /^(?:\[([^\]]+)\](?::\d{1,5})?|(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5})$/.exec(text) ?? [];
  const address = six ?? four ?? text;
  if (isIP(address) === 0 || address.includes('%')) throw malformed('x-forwarded-for');
  return plainAddress(address);
}

function forwardedScheme(text: string): string {
  const scheme = text.toLowerCase();
  if (scheme !== 'http' && scheme !== 'https') throw malformed('x-forwarded-proto');
  return scheme;
}

/** The outermost proxy's is the first. */
function forwardedPrefix(prefixes: readonly string[]): string {
  return prefixes
    .map((prefix) => {
      if (prefix === '/' || prefix === '') return '';
      const isPath = PREFIX.test(prefix) && !prefix.split('/').some((name) => /^\.+$/.test(name));
      if (!isPath) throw malformed('x-forwarded-prefix');
      return prefix.replace(/\/$/, '');
    })
    .join('');
}

const malformed = (name: string): Refusal =>
  new Refusal(400, `the header ${name} of a trusted proxy cannot be read`);
