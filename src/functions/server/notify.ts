/** Notifications between sessions, through the session's services. Source: PostgreSQL 18, section 9.26. */
import type { Datum } from '../../types/datum.ts';
import type { ScalarFunction, SetFunction } from '../function.ts';

export const NOTIFY_FUNCTIONS: readonly ScalarFunction[] = [
  {
    name: 'pg_notify',
    args: ['text', 'text'],
    returns: 'void',
    strict: false,
    volatility: 'volatile',
    effect: 'server',
    summary: 'Tells the sessions that listen to a channel, once the transaction commits.',
    example: ["SELECT pg_notify('news', 'text')", ''],
    evaluateIn: (context, channel: Datum, payload: Datum) => {
      context.services.session.notify(String(channel ?? ''), String(payload ?? ''));
      return '';
    },
  },
  {
    name: 'pg_notification_queue_usage',
    args: [],
    returns: 'float8',
    volatility: 'volatile',
    effect: 'none',
    summary: 'Part of the queue that is in use: notifications wait with their listeners, so none.',
    example: ['SELECT pg_notification_queue_usage()', '0'],
    evaluate: () => 0,
  },
];

export const NOTIFY_SETS: readonly SetFunction[] = [
  {
    name: 'pg_listening_channels',
    args: [],
    returns: 'text',
    volatility: 'stable',
    summary: 'Channels that the session listens to.',
    example: ['SELECT count(*) FROM pg_listening_channels()', '0'],
    rows: ({ services }) => services.session.listeningChannels().map((channel) => [channel]),
  },
];
