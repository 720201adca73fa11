/** The small collection that every client test makes, fills and asks; and what the answers must be. */

export const CREATE_BOOKS = `CREATE TABLE books (
  title   TEXT NOT NULL INDEX semantic_index() INDEX keyword_index(),
  summary TEXT INDEX semantic_index(),
  isbn    TEXT INDEX keyword_index(type => 'exact'),
  emb     F32_VECTOR(3) INDEX vector_index(metric => 'cosine'),
  rating  FLOAT
)`;

export interface Book {
  readonly _id: string;
  readonly title: string;
  readonly summary: string;
  readonly emb: string;
  readonly rating: number;
  readonly year: number;
}

export const BOOKS: readonly Book[] = [
  {
    _id: 'gatsby',
    title: 'The Great Gatsby',
    summary:
      'A millionaire throws lavish parties to win back the woman he loves, and money cannot buy the past.',
    emb: '[1,0,0]',
    rating: 3.9,
    year: 1925,
  },
  {
    _id: 'moby',
    title: 'Moby-Dick',
    summary: 'A captain hunts a white whale across the oceans and loses ship and crew to his revenge.',
    emb: '[0,1,0]',
    rating: 3.5,
    year: 1851,
  },
  {
    _id: '1984',
    title: 'Nineteen Eighty-Four',
    summary: 'A citizen rebels against a totalitarian state that watches everyone.',
    emb: '[0,0,1]',
    rating: 4.2,
    year: 1949,
  },
  {
    _id: 'emma',
    title: 'Emma',
    summary: 'A rich young woman arranges marriages for her friends and overlooks her own heart.',
    emb: '[1,1,0]',
    rating: 4.0,
    year: 1815,
  },
];

/** Nearest to a question by meaning: query text to the first `_id`. */
export const NEAREST: readonly (readonly [question: string, id: string])[] = [
  ['government surveillance', '1984'],
  ['a whale hunt at sea', 'moby'],
  ['arranging marriages for friends', 'emma'],
];
