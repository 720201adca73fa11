/**
 * A web query as the requests that answer it: words, phrases and words of one field, to be wanted or not. What each
 * of them matches and scores, the other operators know.
 */
import { SqlError } from '../../errors.ts';
import { parseWebQuery, type WebAlternative, type WebPart } from '../../language/web-query.ts';
import { WEB_CLAUSES_MAX } from '../../limits.ts';
import type { KeywordRequest } from './query.ts';

/** All of `wanted`, and none of `unwanted`; a row that some alternative matches is found. */
export interface WebRequests {
  readonly wanted: readonly KeywordRequest[];
  readonly unwanted: readonly KeywordRequest[];
}

/** A word that every analyser takes for one. */
const ONE_WORD = /^[\p{L}\p{N}]+$/u;
const BEYOND_ALPHABETS = /[^\0-\u10ff]/;

/**
 * @param request of the operator `web` or `web_signs`.
 * @param names of the fields of `request.indexes`.
 * @returns none: nothing matches. An alternative without anything wanted matches whatever it does not unwant.
 * @throws SqlError 54000
 */
export function webRequests(request: KeywordRequest, names: readonly string[]): readonly WebRequests[] {
  const all = parseWebQuery(String(request.query), names);
  const requests = request.operator === 'web' ? matches(request, names, all) : signs(request, names, all);
  const count = requests.reduce((sum, { wanted, unwanted }) => sum + wanted.length + unwanted.length, 0);
  if (count <= WEB_CLAUSES_MAX) return requests;
  throw new SqlError(
    'program_limit_exceeded',
    `query of ${count} phrases, fields and alternatives is longer than the maximum of ${WEB_CLAUSES_MAX}`,
    { hint: 'Words without signs or quotes count as one.' },
  );
}

/** Alternatives of one word each are one request, for any of them. */
function matches(
  request: KeywordRequest,
  names: readonly string[],
  alternatives: readonly WebAlternative[],
): readonly WebRequests[] {
  const found = alternatives.filter(({ wanted }) => wanted.length > 0);
  const single = found.filter(isSingleWord);
  const others = single.length > 1 ? found.filter((one) => !single.includes(one)) : found;
  const requests = others.map((one) => requestsOf(request, names, one));
  if (single.length < 2) return requests;
  const query = single.flatMap(({ wanted }) => wanted.map(({ text }) => text));
  return [{ wanted: [{ ...request, operator: 'match_any', query }], unwanted: [] }, ...requests];
}

function isSingleWord({ wanted: [only, second], unwanted }: WebAlternative): boolean {
  if (only === undefined || second !== undefined || unwanted.length > 0) return false;
  return !only.quoted && only.field === null && isWord(only.text);
}

const isWord = (text: string): boolean => ONE_WORD.test(text) && !BEYOND_ALPHABETS.test(text);

/** Signed parts, for rows that are found by other means. */
function signs(
  request: KeywordRequest,
  names: readonly string[],
  alternatives: readonly WebAlternative[],
): readonly WebRequests[] {
  const said = alternatives.filter(({ wanted, unwanted }) => wanted.length + unwanted.length > 0);
  return (said.length > 0 ? said : alternatives).map(({ wanted, unwanted }) => {
    return requestsOf(request, names, { wanted: wanted.filter(({ signed }) => signed), unwanted });
  });
}

function requestsOf(
  request: KeywordRequest,
  names: readonly string[],
  { wanted, unwanted }: WebAlternative,
): WebRequests {
  const ofField = (field: string | null): KeywordRequest => {
    if (field === null) return request;
    const { together: _, ...alone } = request;
    return { ...alone, indexes: request.indexes.filter((_index, i) => names[i] === field) };
  };
  const phrases = (parts: readonly WebPart[]): KeywordRequest[] =>
    parts.map(({ field, text }) => ({
      ...apart(ofField(field)),
      operator: 'phrase',
      query: text,
      option: 0,
    }));
  return {
    wanted: [
      ...byField(wanted.filter(({ quoted }) => !quoted)).map(([field, texts]): KeywordRequest => {
        return { ...ofField(field), operator: 'match', query: texts.join(' '), option: 1 };
      }),
      ...phrases(wanted.filter(({ quoted }) => quoted)),
    ],
    unwanted: [
      ...byField(unwanted.filter(isPlain)).map(([field, texts]): KeywordRequest => {
        return { ...ofField(field), operator: 'match_any', query: texts, option: 0 };
      }),
      ...phrases(unwanted.filter((part) => !isPlain(part))),
    ],
  };
}

/** True for a plain word: a row may have each of words that hang together, as in `-foo-bar`. */
const isPlain = ({ quoted, text }: WebPart): boolean => !quoted && isWord(text);

/** A phrase stands in one field. */
function apart({ together: _, ...request }: KeywordRequest): KeywordRequest {
  return request;
}

function byField(parts: readonly WebPart[]): (readonly [field: string | null, texts: readonly string[]])[] {
  const texts = new Map<string | null, string[]>();
  for (const { field, text } of parts) texts.set(field, [...(texts.get(field) ?? []), text]);
  return [...texts];
}
