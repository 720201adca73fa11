/** Terms in texts that are of no dataset, by all domain packs: names of accounts are nobody's name anywhere. */
import { ALL_DOMAINS, type Concept } from '../language/domains/vocabulary.ts';

/** Those that a text names, in their order. */
export const conceptsIn = (text: string): readonly Concept[] => ALL_DOMAINS.conceptsIn(text);
