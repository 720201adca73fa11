/**
 * LISTEN and NOTIFY. What a transaction listens to and tells takes effect with its commit; listeners hear of
 * it at once when they are idle, else at the end of their transaction. Source: async.c of PostgreSQL 18.
 */
import { SqlError } from '../../errors.ts';
import { CHANNEL_BYTES_MAX, NOTIFICATIONS_WAITING_MAX, NOTIFICATION_BYTES_MAX } from '../../limits.ts';

export interface Notification {
  /** The session that sent it. */
  readonly processId: number;
  readonly channel: string;
  readonly payload: string;
}

/** A session, as far as notifications reach it. */
export interface Listener {
  readonly processId: number;
  hear(notification: Notification): void;
}

/** Who listens to what, over all sessions of a server. */
export class Channels {
  readonly #listeners = new Map<string, Set<Listener>>();

  listen(channel: string, listener: Listener): void {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
  }

  /** @param channel null for all. */
  unlisten(channel: string | null, listener: Listener): void {
    for (const [name, listeners] of this.#listeners) {
      if (channel !== null && name !== channel) continue;
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(name);
    }
  }

  send(notification: Notification): void {
    for (const listener of this.#listeners.get(notification.channel) ?? []) listener.hear(notification);
  }

  heardBy(listener: Listener): readonly string[] {
    return [...this.#listeners].filter(([, listeners]) => listeners.has(listener)).map(([name]) => name);
  }
}

type Action =
  | { readonly kind: 'listen'; readonly channel: string }
  | { readonly kind: 'unlisten'; readonly channel: string | null }
  | { readonly kind: 'notify'; readonly channel: string; readonly payload: string };

/** One session's side: what its transaction has in mind, and what it has heard and not yet told its client. */
export class Notifications implements Listener {
  readonly processId: number;
  readonly #channels: Channels;
  readonly #onHeard: (isTooMuch: boolean) => void;
  #actions: Action[] = [];
  #heard: Notification[] = [];

  /** @param onHeard called when something waits for the client, or too much does. */
  constructor(processId: number, channels: Channels, onHeard: (isTooMuch: boolean) => void) {
    this.processId = processId;
    this.#channels = channels;
    this.#onHeard = onHeard;
  }

  listen(channel: string): void {
    this.#actions.push({ kind: 'listen', channel });
  }

  unlisten(channel: string | null): void {
    this.#actions.push({ kind: 'unlisten', channel });
  }

  /** Equal ones of a transaction are told once. @throws SqlError 22023. */
  notify(channel: string, payload: string): void {
    if (channel === '') throw new SqlError('invalid_parameter_value', 'channel name cannot be empty');
    if (Buffer.byteLength(channel) > CHANNEL_BYTES_MAX) {
      throw new SqlError('invalid_parameter_value', 'channel name too long');
    }
    if (Buffer.byteLength(payload) > NOTIFICATION_BYTES_MAX) {
      throw new SqlError('invalid_parameter_value', 'payload string too long');
    }
    const isTold = this.#actions.some(
      (action) => action.kind === 'notify' && action.channel === channel && action.payload === payload,
    );
    if (!isTold) this.#actions.push({ kind: 'notify', channel, payload });
  }

  /** How far the transaction has come: what `undo` goes back to. */
  mark(): number {
    return this.#actions.length;
  }

  undo(mark = 0): void {
    this.#actions.length = mark;
  }

  commit(): void {
    const actions = this.#actions;
    if (actions.length === 0) return;
    this.#actions = [];
    const { processId } = this;
    for (const action of actions) {
      if (action.kind === 'listen') this.#channels.listen(action.channel, this);
      else if (action.kind === 'unlisten') this.#channels.unlisten(action.channel, this);
    }
    for (const action of actions) {
      if (action.kind !== 'notify') continue;
      this.#channels.send({ processId, channel: action.channel, payload: action.payload });
    }
  }

  /** Channels that the session listens to now. */
  heardChannels(): readonly string[] {
    return this.#channels.heardBy(this);
  }

  hear(notification: Notification): void {
    const isTooMuch = this.#heard.length >= NOTIFICATIONS_WAITING_MAX;
    if (!isTooMuch) this.#heard.push(notification);
    this.#onHeard(isTooMuch);
  }

  /** Notifications to be told to the client now. */
  take(): readonly Notification[] {
    if (this.#heard.length === 0) return this.#heard;
    return this.#heard.splice(0);
  }

  end(): void {
    this.#actions = [];
    this.#channels.unlisten(null, this);
  }
}
