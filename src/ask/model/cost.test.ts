/** Cost of questions to a language model: counted, written down, and kept below ceilings. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { AskedModel } from '../../../sql-tests/fixtures/asked-model.ts';
import {
  type AskedPassages,
  ChatEndpointServer,
  written,
} from '../../../sql-tests/fixtures/chat-endpoint.ts';
import { SqlError } from '../../errors.ts';
import { ChatEndpoint } from './chat-endpoint.ts';

const QUESTION = 'Why did operating income of Acme grow in 2022?';
const REASON = 'because the Tucson works were opened';
const FACT = `It grew ${REASON}.`;
const EXTRACTED = `Operating income of Acme grew ${REASON}.`;
const SENTENCE = 'Operating income of Acme is what the board of Acme looks at in each of its meetings. ';
const FILINGS = [
  {
    docId: 'acme',
    chunks: [
      { text: EXTRACTED, pages: [1] },
      { text: SENTENCE.repeat(20), pages: [2] },
    ],
  },
];

let endpoint: ChatEndpointServer;
let model: ChatEndpoint;

beforeAll(async () => {
  endpoint = await ChatEndpointServer.start();
  model = new ChatEndpoint({ url: endpoint.url, model: 'tiny', key: null });
});

afterAll(() => endpoint.close());

beforeEach(() => {
  endpoint.asked.length = 0;
  endpoint.bodies.length = 0;
  endpoint.next.length = 0;
});

const opened = (tokens: number | null, tokensADay: number | null): Promise<AskedModel> =>
  AskedModel.open(model, { filings: FILINGS }, { allowance: { seconds: 20, tokens }, tokensADay });

const good = ({ passages }: AskedPassages): string =>
  written(FACT, { n: passages.find(({ text }) => text.includes(REASON))?.n ?? 0, words: REASON });
const bad = (): string => written(FACT, { n: 1, words: 'because of the weather' });

it('is written down, with what came of it', async () => {
  await using asked = await opened(null, null);
  endpoint.next.push(bad, good);
  expect((await asked.ask(QUESTION)).facts).toEqual([FACT]);
  expect(await asked.logged()).toEqual(['ask', 'tiny', 'answered', null, '200', '40', '1', '1']);
});

it('of a day has a ceiling, which holds over what was asked before', async () => {
  await using asked = await opened(null, 100_000);
  endpoint.next.push(good);
  expect((await asked.ask(QUESTION)).facts).toEqual([FACT]);
  await using own = asked.database.openOwn();
  const spend = 'UPDATE quern.inference_log SET prompt_tokens = 100000 - completion_tokens';
  await own.transaction((query) => query(spend), new AbortController().signal);
  const { facts, updates } = await asked.ask(QUESTION);
  expect(facts).not.toContain(FACT);
  expect(updates.join()).toContain('its 100000 tokens of a day are used up');
  expect(endpoint.asked.length).toBe(1);
  await own.transaction(
    (query) => query("UPDATE quern.inference_log SET at = at - interval '25 hours'"),
    new AbortController().signal,
  );
  endpoint.next.push(good);
  expect((await asked.ask(QUESTION)).facts).toEqual([FACT]);
});

it('of a day holds for those who ask at the same time', async () => {
  await using asked = await opened(null, 100);
  const other = await asked.database.session();
  await using _ = other.session;
  const waiting = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  endpoint.next.push((seen, response) => {
    arrived.resolve();
    void waiting.promise.then(() => {
      const message = { role: 'assistant', content: good(seen) };
      response.end(JSON.stringify({ choices: [{ message }] }));
    });
    return null;
  });
  const first = asked.ask(QUESTION);
  await arrived.promise;
  const [answer] = await other.rows(`SELECT update FROM ask('${QUESTION}', ARRAY['filings'])
    WHERE update LIKE '%tokens of a day are used up%'`);
  expect(answer).toBeDefined();
  waiting.resolve();
  expect((await first).facts).toEqual([FACT]);
  // The endpoint did not count.
  const [, , , , promptTokens, completionTokens] = await asked.logged();
  expect([Number(promptTokens) > 500, Number(completionTokens) > 10]).toEqual([true, true]);
});

it('of a question has a ceiling: as many passages as fit, and no second try without tokens', async () => {
  await using asked = await opened(1_100, null);
  endpoint.next.push((seen, response) => {
    expect(seen.passages.length).toBe(1);
    const usage = { prompt_tokens: 800, completion_tokens: 200 };
    response.end(JSON.stringify({ choices: [{ message: { content: bad() } }], usage }));
    return null;
  });
  expect((await asked.ask(QUESTION)).facts).not.toContain(FACT);
  expect(endpoint.asked.length).toBe(1);
  expect(endpoint.bodies[0]?.max_tokens).toBe(275);
  expect((await asked.logged()).slice(4, 6)).toEqual(['800', '200']);
});

it('of a question may be too low for any', async () => {
  await using asked = await opened(100, null);
  const { facts, updates } = await asked.ask(QUESTION);
  expect(facts).not.toContain(FACT);
  expect(updates.join()).toContain('the 100 tokens of a question are too few');
  expect(endpoint.asked).toEqual([]);
});

it('of what nobody waits for is written down', async () => {
  await using asked = await opened(null, null);
  endpoint.next.push(() => {
    asked.session.session.cancel(new SqlError('query_canceled', 'canceled'));
    return null;
  });
  const { sqlstate } = await asked.session.error(`SELECT * FROM ask('${QUESTION}', ARRAY['filings'])`);
  expect(sqlstate).toBe('57014');
  const [, , outcome, reason, promptTokens] = await asked.logged();
  expect([outcome, reason]).toEqual(['failed', 'nobody waits for it any more']);
  expect(Number(promptTokens)).toBeGreaterThan(500);
});
