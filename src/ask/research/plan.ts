/**
 * From a question to what is asked: the question as it is, then its clauses, each taken apart by whom, what and when it
 * lists, then aspects that it does not name. Made of its words alone, so that it is always the same.
 */
import { operationIn } from '../question/operation.ts';
import { phrased } from '../question/phrased.ts';
import { labelOf } from '../question/subject.ts';
import { planningPack, planningSource } from '../../language/questions/planning/planning-packs.ts';
import { type Question, yearsIn } from '../question.ts';
import { conceptsIn } from '../vocabulary.ts';
import { type KnownDocuments, knownNames, type Scope, scopeOf, type Span } from './scope.ts';
import type { SubQuestion } from './sub-question.ts';

/** The whole comes before its parts, parts before aspects. @param max at least 1. */
export function planOf(question: Question, known: KnownDocuments, max: number): readonly SubQuestion[] {
  const core = question.core.replace(/\s+/g, ' ').trim();
  const clauses = clausesOf(core.slice(0, CORE_CHARACTERS_MAX));
  const read = (clause: string): Scope => scopeOf(clause, question.language, known);
  const first = read(clauses[0] ?? core);
  const all = clauses.flatMap((clause, i) => {
    const whole = i === 0 ? clause : inContext(clause, first);
    return partsOf(whole, read(whole), max);
  });
  const parts = all.filter(({ text }) => bare(text) !== bare(core) && bare(text) !== bare(asPhrase(core)));
  const others = [...new Set(all.flatMap(({ entity }) => entity ?? []))];
  const whole: SubQuestion = { ...PLAIN, text: core, origin: 'whole', others, years: yearsIn(core) };
  const aspects =
    parts.length > 1 ? changesOf(all, question) : [...madeOf(question, known), ...aspectsOf(question, core)];
  const each = new Map<string, SubQuestion>();
  for (const one of [whole, ...parts.slice(0, Math.max(0, max - 1)), ...aspects]) {
    if (!each.has(bare(one.text))) each.set(bare(one.text), one);
  }
  return [...each.values()].slice(0, max);
}

const PLAIN = { origin: 'part', entity: null, others: [], years: [], kind: null } as const;
/** Beyond this length the rest is looked for as a part of the whole only: patterns would take long over it. */
const CORE_CHARACTERS_MAX = 1_000;

const ARTICLE = new RegExp(String.raw`${planningSource(({ articles }) => articles)}\s`, 'giu');

const bare = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(ARTICLE, '')
    .trim();

/** Sentences, and what `and why`, `, how` begins. */
const BEGINS = planningSource(({ begins }) => begins);
const BEGINS_AFTER_AND = planningSource(({ begins, beginsAfterAnd }) => [...begins, ...beginsAfterAnd]);
const CLAUSE = new RegExp(
  String.raw`(?<=[?!.;])\s+(?=\S)|,\s+¿?(?=${BEGINS})|,?\s+¿?${planningSource(({ and }) => and)}\s+(?=${BEGINS_AFTER_AND})`,
  'iu',
);
const CLAUSES_MAX = 12;

const clausesOf = (core: string): readonly string[] =>
  core
    .split(CLAUSE)
    .map((clause) => clause.replace(/[?!.;,\s]+$/, '').trim())
    .filter((clause) => /[\p{L}\p{N}]{2}/u.test(clause))
    .slice(0, CLAUSES_MAX);

const REFERS = new RegExp(
  planningSource(({ refers }) => refers),
  'iu',
);

/** A clause that speaks of `it`, or of nobody, is about what the first one names. */
function inContext(clause: string, { entities, years, things }: Scope): string {
  const names = REFERS.test(clause) || !/\p{Lu}\p{L}+/u.test(clause.slice(1));
  const more = [
    ...(names && things !== null ? [things.items.join(', ')] : []),
    ...(names && entities !== null ? [entities.items.join(' and ')] : []),
    ...(years !== null && yearsIn(clause).length === 0 ? [years.items.join(', ')] : []),
  ];
  return more.length === 0 ? clause : `${clause}: ${more.join(', ')}`;
}

/** Parts of one clause: each of its lists one by one, years last where there would be too many. */
function partsOf(clause: string, { entities, years, things }: Scope, max: number): readonly SubQuestion[] {
  const keepsYears = operationIn(phrased(clause)) !== null || REASON.test(clause) || years === null;
  const counts = (entities?.items.length ?? 1) * (things?.items.length ?? 1);
  const byYear = !keepsYears && counts * (years?.items.length ?? 1) <= max;
  const parts: SubQuestion[] = [];
  for (const entity of entities?.items ?? [null]) {
    for (const thing of things?.items ?? [null]) {
      for (const year of byYear ? (years?.items ?? []) : [null]) {
        const text = asPhrase(
          replaced(clause, [
            [entities, entity === null ? null : `${entity}${entities?.tail ?? ''}`],
            [things, thing],
            [year === null ? null : years, year === null ? null : String(year)],
          ]),
        );
        const own = year === null ? (years?.items ?? yearsIn(clause)) : [year];
        const others = entities?.items.filter((other) => other !== entity) ?? [];
        parts.push({ ...PLAIN, text, entity, others: entity === null ? [] : others, years: own });
      }
    }
  }
  return parts;
}

/** Asks for a reason: what happened over several years has one. */
const REASON = new RegExp(
  planningSource(({ reasons }) => reasons),
  'iu',
);

type Replacement = readonly [span: Span | null, by: string | null];

/** Each list by one of its members. */
function replaced(clause: string, replacements: readonly Replacement[]): string {
  let text = clause;
  const sorted = replacements
    .flatMap(([span, by]) => (span === null || by === null ? [] : [{ span, by }]))
    .sort((a, b) => b.span.start - a.span.start);
  for (const { span, by } of sorted) text = text.slice(0, span.start) + by + text.slice(span.end);
  return text;
}

/** `Compare the …` of one thing compares nothing. */
const LEAD = new RegExp(
  String.raw`^${planningSource(({ leads }) => leads)}(?:\s+|(?<=\p{Script=Han}))(?:${planningSource(({ articles }) => articles)}\s+)?`,
  'iu',
);
const A_YEAR = String.raw`(?:FY\s?)?(?:19|20)\d{2}\b`;
/** Before a year alone, which is no period. */
const OVER = new RegExp(
  String.raw`${planningSource(({ over }) => over)}\s+(?=${A_YEAR}(?!\s*(?:[\-–,]|${planningSource(({ until }) => until)})))`,
  'giu',
);
const BOTH = new RegExp(String.raw`${planningSource(({ both }) => both)}\s+(?!${A_YEAR})`, 'giu');

const asPhrase = (text: string): string => {
  const plain = text
    .replace(LEAD, '')
    .replace(/^[\s:,;–-]+/, '')
    .replace(OVER, 'in ')
    .replace(BOTH, '')
    .replace(/\s+/g, ' ')
    .trim();
  return plain === '' ? text : plain.charAt(0).toUpperCase() + plain.slice(1);
};

/** Words with which a question begins, before what it is about. */
const ASKED = new RegExp(String.raw`^(?:${planningSource(({ asked }) => asked)}\s*)+`, 'iu');
const TOPIC_CHARACTERS_MAX = 200;

const topicOf = (text: string): string =>
  text
    .replace(/^¿/, '')
    .replace(ASKED, '')
    .replace(/[?!.\s]+$/, '')
    .trim();

/** Parts of a measure that the question names: `capital-intensive` of capital expenditures, total assets, … */
function madeOf(
  { core, concepts, years, language }: Question,
  known: KnownDocuments,
): readonly SubQuestion[] {
  const names = knownNames(core, known).join(', ');
  const { of = ', ', at: when = ', ' } = planningPack(language) ?? {};
  const items = concepts.flatMap((concept) => (concept.isAlias ? [] : concept.items));
  return items.slice(0, MADE_OF_MAX).map((item) => {
    const whose = names === '' ? '' : `${of}${names}`;
    const period = years.length === 0 ? '' : `${when}${years.join(', ')}`;
    const text = `${item.charAt(0).toUpperCase()}${item.slice(1)}${whose}${period}`;
    return { ...PLAIN, text, origin: 'aspect', years };
  });
}

const MADE_OF_MAX = 5;

/** Aspects of a question that lists nothing, and is about a thing: not about whether, or how, something is. */
function aspectsOf({ language, kind }: Question, core: string): readonly SubQuestion[] {
  const topic = topicOf(core);
  const words = topic.split(/\s+/).length;
  if (topic.length < 3 || words > TOPIC_WORDS_MAX || kind === 'yes or no' || SAID.test(topic)) return [];
  const years = yearsIn(core);
  return (planningPack(language)?.aspects ?? [])
    .filter((aspect) => aspect.kind !== kind)
    .map((aspect) => ({
      ...PLAIN,
      ...{ text: about(aspect.text, topic), origin: 'aspect', years, kind: aspect.kind },
    }));
}

const TOPIC_WORDS_MAX = 7;
/** Words of a sentence, not of a thing. */
const SAID = new RegExp(
  String.raw`${planningSource(({ said }) => said)}|^\w+(?:ed|ing)\b|['’]s?(?!\p{L})`,
  'iu',
);

/** A question of a pack about a thing. */
const about = (form: string, topic: string): string => form.replace('#', () => topic);

/** Words that a topic does not end in. */
const LOOSE_END = new RegExp(
  String.raw`${planningSource(({ over, until, within }) => [...over, ...until, ...within])}\s*$`,
  'iu',
);

/** Reasons for figures that are compared: why they changed, for each once. */
function changesOf(
  parts: readonly SubQuestion[],
  { language, kind, pack }: Question,
): readonly SubQuestion[] {
  const asked = planningPack(language)?.change ?? null;
  if (asked === null || kind !== 'number') return [];
  const topics = new Map<string, SubQuestion>();
  for (const part of parts) {
    const isFigure = conceptsIn(part.text).length > 0 || part.years.length > 0;
    if (!isFigure || operationIn(phrased(part.text)) !== null) continue;
    const topic = labelOf(topicOf(part.text), pack).replace(LOOSE_END, '').trim();
    if (topic.length < 3 || topic.length > TOPIC_CHARACTERS_MAX || topics.has(bare(topic))) continue;
    const isName = part.entity !== null && topic.startsWith(part.entity);
    const text = about(asked, isName ? topic : topic.charAt(0).toLowerCase() + topic.slice(1));
    topics.set(bare(topic), {
      ...part,
      text,
      origin: 'aspect',
      years: [],
      kind: 'reason',
    });
  }
  return [...topics.values()];
}
