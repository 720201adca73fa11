/**
 * snippet() and highlight(): where a text matches a keyword query. The binder gives them the options of the
 * column's keyword index and, when the query is left out, that of the statement's keyword predicates.
 */
import { QuickCache } from '../../bounded-cache.ts';
import { type Analyser, createAnalyser } from '../../language/analyse.ts';
import { bestPassage, markMatches } from '../../language/passages.ts';
import { wantedWords } from '../../language/web-query.ts';
import type { ArrayDatum } from '../../types/datum.ts';
import type { ScalarFunction } from '../function.ts';

const ANALYSERS_MAX = 100;

/** Analysers by the text of their options, with the stems they remember. */
const ANALYSERS = new QuickCache<string, Analyser>(ANALYSERS_MAX);

/** Analyser of the text. @throws SqlError 22023 when an option is wrong. */
function analyserOf(options: string, text: string): Analyser {
  const analyser = ANALYSERS.get(options) ?? ANALYSERS.set(options, makeAnalyser(options));
  return analyser.languages?.in(analyser.languages.of(text)) ?? analyser;
}

function makeAnalyser(options: string): Analyser {
  const given: unknown = JSON.parse(options);
  const entries = typeof given === 'object' && given !== null ? Object.entries(given) : [];
  return createAnalyser(Object.fromEntries(entries.map(([name, value]) => [name, String(value)])));
}

export const PASSAGE_FUNCTIONS: readonly ScalarFunction[] = [
  {
    name: 'snippet',
    args: ['text', 'text', 'jsonb'],
    argNames: ['col', 'query', 'options'],
    defaults: [`'{}'`],
    returns: 'text',
    summary:
      'The passage of about 240 characters with most of the query’s words, cut at spaces. Without a query: ' +
      'that of the keyword predicates on the column. Options are those of a keyword index.',
    example: ["SELECT snippet('The quick brown foxes', 'fox')", 'The quick brown foxes'],
    evaluate: (text: string, query: string, options: string) =>
      bestPassage(analyserOf(options, text), text, query),
  },
  {
    name: 'highlight',
    args: ['text', 'text', 'text', 'text', 'bool', 'jsonb'],
    argNames: ['col', 'query', 'before', 'after', 'html', 'options'],
    defaults: [`'<b>'`, `'</b>'`, 'false', `'{}'`],
    returns: 'text',
    summary:
      'The text with the query’s words between two marks. With html, the text (not the marks) is escaped for ' +
      'HTML. Without a query: that of the keyword predicates on the column.',
    example: ["SELECT highlight('The quick brown foxes', 'fox')", 'The quick brown <b>foxes</b>'],
    evaluate: (...[text, query, before, after, html, options]: HighlightArguments) =>
      markMatches(analyserOf(options, text), text, query, { before, after, html }),
  },
  {
    name: 'web_query_words',
    args: ['text', '_text'],
    argNames: ['query', 'fields'],
    defaults: [`'{}'`],
    returns: 'text',
    summary:
      'What a query of match(…, syntax => ’web’) looks for: without signs, without names of fields, and without ' +
      'what it does not want; NULL when it looks for nothing.',
    example: [`SELECT web_query_words('"white whale" -shark title:sea', '{title}')`, 'white whale sea'],
    evaluate: (query: string, fields: ArrayDatum) => wantedWords(query, fields.elements.map(String)) || null,
  },
];

type HighlightArguments = [
  text: string,
  query: string,
  before: string,
  after: string,
  html: boolean,
  options: string,
];
