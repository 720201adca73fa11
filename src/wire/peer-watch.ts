/**
 * Clients that have gone while their socket was not read: a paused socket tells nothing, and a statement that
 * has enough to do would go on for nobody. The kernel knows. On Linux its table of connections is looked at
 * each second; elsewhere the end is noticed when the socket is read again. Where client and server share a
 * machine the client's own row is asked too: what it has sent last may wait for room with us, and its end
 * behind that. Of clients on other machines nobody can know this before it has come.
 * Source: Linux, Documentation/networking/proc_net_tcp.rst.
 */
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { addressBytes } from '../session/sign-in/network-address.ts';

const LOOK_EVERY_MS = 1000;
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];

/** TCP states in which the other side may still send. */
const ALIVE = new Set(['01', '02', '03']);
const OPEN = '01';
const GONE = '07';
const LISTENING = '0A';

interface Watched {
  /** Both ends as the table writes them, ours first. */
  readonly name: string;
  /** As the client's own row has them. */
  readonly mirrored: string;
  readonly localPort: string;
  readonly gone: () => void;
}

export class PeerWatch {
  readonly #watched = new Map<Socket, Watched>();
  #timer: NodeJS.Timeout | null = null;
  #looking = false;

  /** @param gone called once, when the client has closed its side or the connection is no more. */
  watch(socket: Socket, gone: () => void): void {
    const { localPort, localAddress, remotePort, remoteAddress } = socket;
    if (process.platform !== 'linux' || localPort === undefined || remotePort === undefined) return;
    const ours = `${hexAddress(localAddress ?? '')}:${hexPort(localPort)}`;
    const theirs = `${hexAddress(remoteAddress ?? '')}:${hexPort(remotePort)}`;
    const names = { name: `${ours} ${theirs}`, mirrored: `${theirs} ${ours}` };
    this.#watched.set(socket, { ...names, localPort: hexPort(localPort), gone });
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  forget(socket: Socket): void {
    if (!this.#watched.delete(socket) || this.#watched.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #look(): void {
    if (this.#looking) return;
    this.#looking = true;
    readStates()
      .then((states) => this.#tell(states))
      .catch(() => undefined) // No such table: nothing is known.
      .finally(() => {
        this.#looking = false;
      });
  }

  #tell(states: States): void {
    for (const [socket, { name, mirrored, localPort, gone }] of [...this.#watched]) {
      const state = states.connections.get(name) ?? (states.listening.has(localPort) ? GONE : OPEN);
      if (ALIVE.has(state) && ALIVE.has(states.connections.get(mirrored) ?? OPEN)) continue;
      this.forget(socket);
      gone();
    }
  }
}

interface States {
  readonly connections: ReadonlyMap<string, string>;
  /** Ports listened on: where one is listed, so are its connections. */
  readonly listening: ReadonlySet<string>;
}

async function readStates(): Promise<States> {
  const texts = await Promise.all(TABLES.map((path) => readFile(path, 'latin1').catch(() => '')));
  const connections = new Map<string, string>();
  const listening = new Set<string>();
  for (const line of texts.join('\n').split('\n')) {
    const [, local = '', remote = '', state = ''] = line.trim().split(/\s+/);
    const [, port] = local.split(':');
    if (port === undefined || !/^[0-9A-F]{4}$/.test(port)) continue;
    if (state === LISTENING) listening.add(port);
    else connections.set(`${shortAddress(local)} ${shortAddress(remote)}`, state);
  }
  return { connections, listening };
}

const hexPort = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');

/** An address in the table's way: 32-bit words, each with its bytes turned round. */
export function hexAddress(address: string): string {
  const bytes = addressBytes(address);
  let text = '';
  for (let word = 0; word < bytes.length; word += 4) {
    text += bytes
      .slice(word, word + 4)
      .reverse()
      .map(hexByte)
      .join('');
  }
  return text;
}

const hexByte = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');

/** An IPv4 address that a socket of both families has is written as IPv6; here it is an IPv4 address. */
function shortAddress(address: string): string {
  return address.replace(/^0000000000000000FFFF0000([0-9A-F]{8}:)/, '$1');
}
