/**
 * From a question to what is asked: the question as it is, then its clauses, each taken apart by whom, what and when it
 * lists, then aspects that it does not name. Made of its words alone, so that it is always the same.
 */
import { operationIn } from '../question/operation.ts';
import { phrased } from '../question/phrased.ts';
import { labelOf } from '../question/subject.ts';
import { type AnswerKind, type Question, yearsIn } from '../question.ts';
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

const bare = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(/\b(?:the|an?|der|die|das|le|la|les|el|los|las)\s/g, '')
    .trim();

/** Sentences, and what `and why`, `, how` begins. */
const CLAUSE =
  /(?<=[?!.;])\s+(?=\S)|,\s+(?=(?:what|why|how|warum|wie|pourquoi|comment)\b)|,?\s+(?:and|und|et|y)\s+(?=(?:what|why|how|which|who|when|where|whether|did|does|is|are|was|were|warum|wie|was|welche\w?|wann|wer|pourquoi|comment|quand|quel\w*|por qué|cómo|cuándo|qué)\b)/i;
const CLAUSES_MAX = 12;

const clausesOf = (core: string): readonly string[] =>
  core
    .split(CLAUSE)
    .map((clause) => clause.replace(/[?!.;,\s]+$/, '').trim())
    .filter((clause) => /[\p{L}\p{N}]{2}/u.test(clause))
    .slice(0, CLAUSES_MAX);

const REFERS = /\b(?:it|its|they|them|their|this|these|those|er|sie|es|il|elle|ils|elles|ella|ellos)\b/i;

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
const REASON = /\b(?:why|reasons?|warum|gründe|pourquoi|raisons?|por qué|razones)\b/i;

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
const LEAD =
  /^(?:please\s+)?(?:compare|comparing|contrast|vergleiche|comparez|compara|list|give me|tell me about|summari[sz]e|describe|what (?:is|are|was|were))\s+(?:the\s+)?/i;

const asPhrase = (text: string): string => {
  const plain = text
    .replace(LEAD, '')
    .replace(/^[\s:,;–-]+/, '')
    .replace(
      /\b(?:over|across|between|zwischen)\s+(?=(?:FY\s?)?(?:19|20)\d{2}\b(?!\s*(?:[-–,]|and|to|und|et|y|through|until)))/gi,
      'in ',
    )
    .replace(/\b(?:between|both|zwischen)\s+(?!(?:FY\s?)?(?:19|20)\d{2}\b)/gi, '')
    .replace(/\s+/g, ' ')
    .trim();
  return plain === '' ? text : plain.charAt(0).toUpperCase() + plain.slice(1);
};

interface Aspect {
  readonly kind: AnswerKind;
  readonly text: (topic: string) => string;
}

/** Aspects that one wants to know of a thing, by language. */
const ASPECTS: Readonly<Record<string, readonly Aspect[]>> = {
  english: [
    { kind: 'text', text: (topic) => `What is ${topic}?` },
    { kind: 'number', text: (topic) => `How much is ${topic}?` },
    { kind: 'reason', text: (topic) => `What are the reasons for ${topic}?` },
    { kind: 'list', text: (topic) => `What types of ${topic} are there?` },
    { kind: 'text', text: (topic) => `What are the effects of ${topic}?` },
  ],
  german: [
    { kind: 'text', text: (topic) => `Was ist ${topic}?` },
    { kind: 'number', text: (topic) => `Wie viel ist ${topic}?` },
    { kind: 'reason', text: (topic) => `Was sind die Gründe für ${topic}?` },
    { kind: 'list', text: (topic) => `Welche Arten von ${topic} gibt es?` },
  ],
  french: [
    { kind: 'text', text: (topic) => `Qu’est-ce que ${topic}?` },
    { kind: 'number', text: (topic) => `Combien ${topic}?` },
    { kind: 'reason', text: (topic) => `Quelles sont les raisons de ${topic}?` },
  ],
  spanish: [
    { kind: 'text', text: (topic) => `¿Qué es ${topic}?` },
    { kind: 'number', text: (topic) => `¿Cuánto es ${topic}?` },
    { kind: 'reason', text: (topic) => `¿Cuáles son las razones de ${topic}?` },
  ],
};

/** Why a figure is as it is, by language. */
const CHANGE: Readonly<Record<string, Aspect['text']>> = {
  english: (topic) => `Why did ${topic} change?`,
  german: (topic) => `Warum hat sich ${topic} verändert?`,
  french: (topic) => `Pourquoi ${topic} a changé?`,
  spanish: (topic) => `¿Por qué cambió ${topic}?`,
};

/** Words with which a question begins, before what it is about. */
const ASKED =
  /^(?:(?:what|which|who|how|why|when|where|much|many|is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|the|a|an|of|to|about|drove|drives|caused|causes|led|explains?|types?|kinds?|reasons?|for|there|tell me|explain|describe|compare|list|summari[sz]e|give me|was|wie|warum|wann|wer|welche[rsmn]?|ist|sind|war|waren|hat|haben|der|die|das|den|dem|viel|viele|quel\w*|que|qu['’]est-ce|est|sont|le|la|les|pourquoi|comment|combien|cuál\w*|qué|es|son|el|los|las|cómo|cuánt\w*)\b\s*)+/i;
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
  const [of, when] = language === 'english' ? [' of ', ' in '] : [', ', ', '];
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
  if (topic.length < 3 || words > TOPIC_WORDS_MAX || kind === 'yes or no' || SAYS.test(topic)) return [];
  const years = yearsIn(core);
  return (ASPECTS[language] ?? [])
    .filter((aspect) => aspect.kind !== kind)
    .map((aspect) => ({
      ...{ ...PLAIN, text: aspect.text(topic), origin: 'aspect', years, kind: aspect.kind },
    }));
}

const TOPIC_WORDS_MAX = 7;
/** Words of a sentence, not of a thing. */
const SAYS =
  /\b(?:is|are|was|were|be|been|has|have|had|did|does|do|can|may|must|should|as|based|change[ds]?|ist|sind|war|hat|haben|wird|est|sont|a été|es|son|ha)\b|^\w+(?:ed|ing)\b|['’]s?\b/i;

/** Reasons for figures that are compared: why they changed, for each once. */
function changesOf(
  parts: readonly SubQuestion[],
  { language, kind, pack }: Question,
): readonly SubQuestion[] {
  const asked = CHANGE[language];
  if (asked === undefined || kind !== 'number') return [];
  const topics = new Map<string, SubQuestion>();
  for (const part of parts) {
    const isFigure = conceptsIn(part.text).length > 0 || part.years.length > 0;
    if (!isFigure || operationIn(phrased(part.text)) !== null) continue;
    const topic = labelOf(topicOf(part.text), pack)
      .replace(/\b(?:over|from|to|in|for|between|and)\s*$/i, '')
      .trim();
    if (topic.length < 3 || topic.length > TOPIC_CHARACTERS_MAX || topics.has(bare(topic))) continue;
    const isName = part.entity !== null && topic.startsWith(part.entity);
    const text = asked(isName ? topic : topic.charAt(0).toLowerCase() + topic.slice(1));
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
