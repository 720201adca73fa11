/** SCRAM-SHA-256: the exchange of RFC 7677, and what must not pass for one. */
import { expect, it } from 'vitest';
import { parseVerifier, verifierOf, verifierText } from '../../catalog/access/scram.ts';
import { MECHANISM, ScramExchange } from './scram-exchange.ts';

const SALTING = { salt: 'W22ZaJ0SNY7soEsUEjb6gQ==', iterations: 4096 };
const FIRST = 'n,,n=user,r=rOprNGfwEbeRWgbNEkqO';
const NONCE = '%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0';
const SERVER_FIRST = `r=rOprNGfwEbeRWgbNEkqO${NONCE},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096`;
const FINAL = `c=biws,r=rOprNGfwEbeRWgbNEkqO${NONCE},p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=`;

async function exchange(nonce = NONCE, how: { mechanism?: string; binding?: Uint8Array | null } = {}) {
  const other = { verifier: await verifierOf('paper', SALTING), who: 'other' };
  const right = { verifier: await verifierOf('pencil', SALTING), who: 'right' };
  const { mechanism = MECHANISM.plain, binding = null } = how;
  return new ScramExchange({ salting: SALTING, candidates: [other, right], nonce, mechanism, binding });
}

it('goes as in RFC 7677', async () => {
  const made = await exchange();
  expect(made.begin(FIRST)).toBe(SERVER_FIRST);
  expect(made.end(FINAL)).toEqual({
    who: 'right',
    final: 'v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=',
  });
});

it('takes no proof twice, and none of another exchange', async () => {
  const first = await exchange();
  first.begin(FIRST);
  expect(first.end(FINAL)).not.toBeNull();
  expect(() => first.end(FINAL)).toThrow('malformed');
  const second = await exchange('another');
  second.begin(FIRST);
  expect(() => second.end(FINAL)).toThrow('malformed');
  expect(second.end(FINAL.replace(NONCE, 'another'))).toBeNull();
});

it('is nobody with a wrong proof, one that is too short, or none', async () => {
  for (const proof of [`${'A'.repeat(43)}=`, 'AAAA']) {
    const made = await exchange();
    made.begin(FIRST);
    expect(made.end(FINAL.replace(/p=.*/, `p=${proof}`))).toBeNull();
  }
  const made = await exchange();
  expect(() => made.end(FINAL)).toThrow('malformed');
});

it.each([
  '',
  'n,,',
  'n,,n=user',
  'x,,n=user,r=a',
  'n,,m=ext,n=user,r=a',
  'n,,n=user,r=',
  `n,,n=u,r=${'a'.repeat(2000)}`,
])('does not begin with %j', async (message) => {
  const made = await exchange();
  expect(() => made.begin(message)).toThrow('malformed');
});

it('tells a client that was talked out of channel binding', async () => {
  const binding = Buffer.from('certificate');
  const lied = await exchange(NONCE, { binding });
  expect(() => lied.begin(FIRST.replace('n,', 'y,'))).toThrow('channel binding negotiation');
  const unable = await exchange(NONCE, { binding });
  expect(unable.begin(FIRST)).toBe(SERVER_FIRST);
  const binds = 'p=tls-server-end-point,,n=user,r=rOprNGfwEbeRWgbNEkqO';
  expect(() => unable.begin(binds)).toThrow('malformed');
  const plain = await exchange(NONCE, { binding });
  expect(() => plain.begin(binds)).toThrow('malformed');
  const bound = await exchange(NONCE, { binding, mechanism: MECHANISM.binding });
  expect(bound.begin(binds)).toBe(SERVER_FIRST);
  const header = Buffer.concat([Buffer.from('p=tls-server-end-point,,'), Buffer.from('another')]);
  const elsewhere = FINAL.replace('c=biws', `c=${header.toString('base64')}`);
  expect(() => bound.end(elsewhere)).toThrow('channel binding check failed');
  const downgraded = await exchange(NONCE, { binding, mechanism: MECHANISM.binding });
  expect(() => downgraded.begin(FIRST)).toThrow('malformed');
});

it('reads and writes verifiers as PostgreSQL does', async () => {
  const text = verifierText({ ...SALTING, ...(await verifierOf('pencil', SALTING)) });
  expect(text).toBe(
    'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
  );
  expect(verifierText(parseVerifier(text) as NonNullable<ReturnType<typeof parseVerifier>>)).toBe(text);
  for (const other of ['pencil', 'md5abc', text.slice(1), text.replace('4096', '0')]) {
    expect(parseVerifier(other)).toBeNull();
  }
  const [one, two] = await Promise.all(['I\u00adX', 'IX'].map((password) => verifierOf(password, SALTING)));
  expect(one).toEqual(two);
});
