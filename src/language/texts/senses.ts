/**
 * The words that turn a statement round, by language: a "not", more or less, up or down, a profit or a loss. Data alone;
 * words as in `../questions/language-pack.ts`.
 */
import { wordsSource } from '../questions/words.ts';

export interface Senses {
  /** As `detectLanguage` names it. */
  readonly name: string;
  readonly denials: readonly string[];
  /** A clause that begins with one may say the opposite of the one before. */
  readonly contrasts: readonly string[];
  readonly rises: readonly string[];
  readonly falls: readonly string[];
  /** Before a number, with what may stand between. */
  readonly atLeast: readonly string[];
  readonly atMost: readonly string[];
  readonly than: readonly string[];
  readonly profits: readonly string[];
  readonly losses: readonly string[];
}

const list = (words: string): readonly string[] => words.split(' ');

const ENGLISH: Senses = {
  name: 'english',
  denials: list('no not never none neither nor without cannot nothing nobody unable'),
  contrasts: list('but although while whereas'),
  rises: [
    ...list('increas* rise rises risen rising rose grow* grew* higher* improv* expand* expans* climb* gain*'),
    ...list('surpass* exceed*'),
  ],
  falls: [
    ...list('decreas* declin* fell fall falls fallen falling drop* lower* reduc* shrank* shrink* shrunk*'),
    ...list('contracted contraction deteriorat* worse*'),
  ],
  atLeast: [...list('more greater larger longer over above minimum'), 'at least'],
  atMost: [...list('less fewer smaller shorter under below maximum'), 'at most', 'up to'],
  than: list('than'),
  profits: list('profit* surplus*'),
  losses: list('loss losses deficit*'),
};

const GERMAN: Senses = {
  name: 'german',
  denials: list('nicht kein* nie weder ohne'),
  contrasts: list('aber'),
  rises: list('gestiegen* stieg* steig* zunahm* wuchs* gewachsen* höher*'),
  falls: list('gesunken* sank* sink* fiel fielen gefallen* rückgang* niedriger* verringer*'),
  atLeast: list('mindestens mehr'),
  atMost: list('höchstens weniger'),
  than: list('als'),
  profits: list('gewinn*'),
  losses: list('verlust*'),
};

const FRENCH: Senses = {
  name: 'french',
  denials: list('sans jamais aucun aucune'),
  contrasts: list('mais'),
  rises: list('augment* hausse* croiss*'),
  falls: list('diminu* baiss* recul*'),
  atLeast: list('plus'),
  atMost: list('moins'),
  than: list('de que'),
  profits: list('bénéfice*'),
  losses: list('perte*'),
};

const SPANISH: Senses = {
  name: 'spanish',
  denials: list('sin nunca ningun ninguna'),
  contrasts: list('pero'),
  rises: list('aument* crec* subió*'),
  falls: list('dismin* cayó* reduj*'),
  atLeast: list('más'),
  atMost: list('menos'),
  than: list('que de'),
  profits: list('beneficio*'),
  losses: list('pérdida*'),
};

const ITALIAN: Senses = {
  name: 'italian',
  denials: list('non nessun* senza'),
  contrasts: [],
  rises: [],
  falls: [],
  atLeast: [],
  atMost: [],
  than: [],
  profits: [],
  losses: [],
};

const SENSES: readonly Senses[] = [ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN];

/** The source of a pattern for what all languages list there. */
export const senseWords = (listed: (senses: Senses) => readonly string[]): string =>
  wordsSource(SENSES.flatMap(listed));
