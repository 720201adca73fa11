/** Articles and their like by language: words before a thing of a kind, which the names of companies and people lack. */
const ARTICLES: Readonly<Record<string, readonly string[]>> = {
  english: ['the', 'a', 'an', 'our', 'this', 'that', 'these', 'those', 'each', 'every', 'any'],
  german: [
    'der',
    'die',
    'das',
    'den',
    'dem',
    'des',
    'ein',
    'eine',
    'einen',
    'einem',
    'einer',
    'jede',
    'jeder',
  ],
  french: ['le', 'la', 'les', 'un', 'une', 'ce', 'cette', 'ces', 'du', 'au', 'aux', 'chaque'],
  spanish: ['el', 'la', 'los', 'las', 'un', 'una', 'este', 'esta', 'del', 'al', 'cada'],
  italian: ['il', 'lo', 'la', 'i', 'gli', 'le', 'un', 'una', 'uno', 'del', 'della', 'al', 'ogni'],
  portuguese: ['o', 'a', 'os', 'as', 'um', 'uma', 'do', 'da', 'no', 'na', 'cada'],
  dutch: ['de', 'het', 'een', 'deze', 'dit', 'elk', 'elke'],
};

/** True when the word is an article of the language; of one that has no list, none is. */
export const isArticle = (word: string, language: string): boolean =>
  ARTICLES[language]?.includes(word.toLowerCase()) ?? false;
