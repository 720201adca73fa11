/** Managed inference by hand: vectors and tokens of texts, scores of the configured reranker. product.md section 2. */
import { arrayDatum } from '../../types/composite/array.ts';
import type { Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import type { ScalarFunction } from '../function.ts';

/** Rows with the same second argument go to the service together. */
async function together<Second>(
  rows: readonly { readonly text: string; readonly with: Second }[],
  ask: (texts: readonly string[], second: Second) => Promise<readonly Datum[]>,
): Promise<readonly Datum[]> {
  const results = new Array<Datum>(rows.length).fill(null);
  for (const [second, group] of Map.groupBy(rows.keys(), (row) => rows[row]?.with as Second)) {
    const texts = group.map((row) => rows[row]?.text ?? '');
    const given = await ask(texts, second);
    for (const [i, row] of group.entries()) results[row] = given[i] ?? null;
  }
  return results;
}

const textAndModel = (rows: readonly (readonly Datum[])[]) =>
  rows.map(([text, model]) => ({ text: String(text), with: model === undefined ? null : String(model) }));

/** A function of a text and a model, and of a text alone: then the setting quern.embedding_model names the model. */
function byModel(row: Omit<ScalarFunction, 'args' | 'argNames'>): readonly ScalarFunction[] {
  const usual = { summary: `${row.summary} The model is quern.embedding_model.` };
  return [
    { ...row, args: ['text', 'text'], argNames: ['text', 'model'] },
    { ...row, ...usual, args: ['text'], argNames: ['text'], example: [`SELECT ${row.name}(NULL)`, null] },
  ];
}

export const INFERENCE_FUNCTIONS: readonly ScalarFunction[] = [
  ...byModel({
    name: 'embed',
    returns: 'vector',
    volatility: 'stable',
    summary: "A text's vector, of unit length, as a model embeds queries.",
    example: ["SELECT vector_dims(embed('quiet sea', model => 'hash'))", '64'],
    evaluateAllLater: ({ services }, rows) =>
      together(textAndModel(rows), (texts, model) => services.inference.embed(texts, model)),
  }),
  ...byModel({
    name: 'tokens',
    returns: '_text',
    volatility: 'stable',
    summary: 'The tokens that a model cuts a text into.',
    example: ["SELECT tokens('Quiet sea', model => 'hash')", '{quiet,sea}'],
    evaluateAllLater: ({ services }, rows) =>
      together(textAndModel(rows), async (texts, model) => {
        const tokens = await services.inference.tokens(texts, model);
        return tokens.map((some) => arrayDatum(OID.text, some));
      }),
  }),
  {
    name: 'rerank',
    args: ['text', 'text'],
    argNames: ['query', 'col'],
    returns: 'float8',
    volatility: 'stable',
    summary: 'How well a text answers a query, by the configured reranker; larger is better.',
    example: ["SELECT rerank('sea', NULL)", null],
    evaluateAllLater: ({ services }, rows) =>
      together(
        rows.map(([query, text]) => ({ text: String(text), with: String(query) })),
        (texts, query) => services.inference.rerank(texts, query),
      ),
  },
];
