/** Commands that sign in by a browser (`quern login`): they begin and wait; a page shows who it is and answers. */
import { DEVICE_CODE_MINUTES } from '../limits.ts';
import type { HeldKey } from '../session/sign-in/keys.ts';
import { answerJson, type Exchange, readJson, type Route, textField } from './exchange.ts';
import { ownOrigin } from './names.ts';
import { Refusal } from './refusal.ts';
import { browserOf, type Keyring } from './who.ts';

interface Approver {
  readonly key: HeldKey;
  isLive(): boolean;
}

/** Those who wait; main.ts hands them in. */
export interface DeviceDesk {
  /** @throws SqlError 53300. */
  begin(client: string, address: string): { readonly secret: string; readonly code: string };
  /** Null: no such code waits. @throws SqlError 57P01, 57P03. */
  find(code: string, by: Approver, address: string): Promise<object | null>;
  /** @param wanted null: no. @returns false: no such code waits. @throws SqlError 22023, 42501, 42710, 57P01, 57P03. */
  answer(
    code: string,
    by: Approver,
    about: {
      readonly address: string;
      readonly wanted: { readonly name: string | null; readonly expires: string | null } | null;
    },
  ): Promise<boolean>;
  /** @throws SqlError 42501, 42710, 54000, 57P01. */
  fetch(
    secret: string,
  ): Promise<
    | { readonly state: 'waiting' | 'denied' | 'over' }
    | { readonly state: 'approved'; readonly name: string; readonly key: string }
  >;
}

const INTERVAL_S = 2;
const CLIENT_CHARACTERS_MAX = 200;
const NAME_CHARACTERS_MAX = 100;
const SECRET_CHARACTERS_MAX = 100;
const CODE_PATH = '/device/';

export function deviceRoutes(desk: DeviceDesk, keyring: Keyring): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/device',
      answer: async (exchange) => answerJson(exchange, await begin(desk, exchange)),
    },
    { method: 'POST', path: '/device/token', answer: (exchange) => fetchKey(desk, exchange) },
    {
      method: 'GET',
      path: CODE_PATH,
      async answer(exchange) {
        const { request, caller } = exchange;
        const by = browserOf(keyring, request, caller);
        const waiting = await desk.find(codeOf(exchange), by, caller.peer);
        if (waiting === null) throw unknownCode();
        answerJson(exchange, waiting);
      },
    },
    { method: 'POST', path: CODE_PATH, answer: (exchange) => answerCode(desk, keyring, exchange) },
  ];
}

async function begin(desk: DeviceDesk, exchange: Exchange): Promise<object> {
  const client = textField(await readJson(exchange), 'client', CLIENT_CHARACTERS_MAX) ?? 'a program';
  const { request, caller } = exchange;
  const { secret, code } = desk.begin(client, caller.peer);
  const base = `${ownOrigin(request.headers.host ?? '', caller.isEncrypted)}${caller.prefix}`;
  return {
    device_code: secret,
    user_code: code,
    url: `${base}/device?code=${code}`,
    interval_s: INTERVAL_S,
    expires_s: DEVICE_CODE_MINUTES * 60,
  };
}

async function fetchKey(desk: DeviceDesk, exchange: Exchange): Promise<void> {
  const secret = textField(await readJson(exchange), 'device_code', SECRET_CHARACTERS_MAX);
  const fetched = await desk.fetch(secret ?? '');
  switch (fetched.state) {
    case 'approved':
      answerJson(exchange, { name: fetched.name, key: fetched.key });
      break;
    case 'waiting':
      answerJson(exchange, {}, { status: 202 });
      break;
    case 'denied':
      throw new Refusal(403, 'signing in was refused in the browser');
    case 'over':
      throw new Refusal(410, 'the code is no longer good', 'It is for ten minutes, and once.');
  }
}

async function answerCode(desk: DeviceDesk, keyring: Keyring, exchange: Exchange): Promise<void> {
  const { request, caller } = exchange;
  const by = browserOf(keyring, request, caller);
  const fields = await readJson(exchange);
  if (typeof fields.approve !== 'boolean') throw new Refusal(400, '"approve" is to be true or false');
  const wanted = {
    name: textField(fields, 'name', NAME_CHARACTERS_MAX),
    expires: textField(fields, 'expires', NAME_CHARACTERS_MAX),
  };
  const about = { address: caller.peer, wanted: fields.approve ? wanted : null };
  if (!(await desk.answer(codeOf(exchange), by, about))) throw unknownCode();
  answerJson(exchange, {});
}

const codeOf = ({ path }: Exchange): string => path.slice(CODE_PATH.length);

const unknownCode = (): Refusal =>
  new Refusal(
    404,
    'no command waits with this code',
    'It may have been answered, or be older than ten minutes.',
  );
