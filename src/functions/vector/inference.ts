/** Managed inference by hand: vectors and tokens of texts, scores of the configured reranker. product.md section 2. */
import { arrayDatum } from '../../types/composite/array.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import type { FunctionContext, ScalarFunction } from '../function.ts';

const DEFAULT_MODEL = "'all-minilm-l6-v2'";

/** Rows with the same second argument go to the service together, as `name(texts, second)`. */
async function together(
  context: FunctionContext,
  name: string,
  rows: readonly { readonly text: string; readonly with: string }[],
): Promise<readonly Datum[]> {
  const results = new Array<Datum>(rows.length).fill(null);
  for (const [second, group] of Map.groupBy(rows.keys(), (row) => rows[row]?.with ?? '')) {
    const texts = group.map((row) => rows[row]?.text ?? '');
    const given = (await context.waitFor(name, arrayDatum(OID.text, texts), second)) as ArrayDatum;
    for (const [i, row] of group.entries()) results[row] = given.elements[i] ?? null;
  }
  return results;
}

const ofTextAndModel =
  (name: string) =>
  (context: FunctionContext, rows: readonly (readonly Datum[])[]): Promise<readonly Datum[]> =>
    together(
      context,
      name,
      rows.map(([text, model]) => ({ text: String(text), with: String(model) })),
    );

export const INFERENCE_FUNCTIONS: readonly ScalarFunction[] = [
  {
    name: 'embed',
    args: ['text', 'text'],
    argNames: ['text', 'model'],
    defaults: [DEFAULT_MODEL],
    returns: 'vector',
    volatility: 'stable',
    summary: "A text's vector, of unit length, as a model embeds queries.",
    example: ["SELECT vector_dims(embed('quiet sea', model => 'hash'))", '64'],
    evaluateAllLater: ofTextAndModel('embed'),
  },
  {
    name: 'tokens',
    args: ['text', 'text'],
    argNames: ['text', 'model'],
    defaults: [DEFAULT_MODEL],
    returns: '_text',
    volatility: 'stable',
    summary: 'The tokens that a model cuts a text into.',
    example: ["SELECT tokens('Quiet sea', model => 'hash')", '{quiet,sea}'],
    evaluateAllLater: async (context, rows) => {
      const joined = await ofTextAndModel('tokens')(context, rows);
      return joined.map((text) => arrayDatum(OID.text, JSON.parse(String(text)) as string[]));
    },
  },
  {
    name: 'rerank',
    args: ['text', 'text'],
    argNames: ['query', 'col'],
    returns: 'float8',
    volatility: 'stable',
    summary: 'How well a text answers a query, by the configured reranker; larger is better.',
    example: ["SELECT rerank('sea', NULL)", null],
    evaluateAllLater: (context, rows) =>
      together(
        context,
        'rerank',
        rows.map(([query, text]) => ({ text: String(text), with: String(query) })),
      ),
  },
];
