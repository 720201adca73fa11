/** Health checks: that the server lives and serves. They tell nothing else, and are asked by machines that know no names or keys. */
import { answerText, type Exchange, type Route } from './exchange.ts';

const ROW = { method: 'GET', guard: 'nothing' } as const;

export const healthRoutes = (ready: () => boolean): readonly Route[] => [
  { ...ROW, path: '/healthz', answer: (exchange) => answerText(exchange, 'ok\n') },
  { ...ROW, path: '/readyz', answer: (exchange) => answerReady(exchange, ready()) },
];

const answerReady = (exchange: Exchange, isReady: boolean): void =>
  isReady ? answerText(exchange, 'ready\n') : answerText(exchange, 'starting\n', 503);
