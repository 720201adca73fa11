/** `quern ask`, `quern research` and `quern search`: answers with citations one can open, and passages. */
import type { Answer, Content, SearchResult } from '../../typescript/src/asking.ts';
import type { Client } from '../../typescript/src/client.ts';
import { type Citation, Citations } from '../citations.ts';
import { questionOf } from '../input.ts';
import type { Call } from '../running.ts';
import { asking, type ServerOptions, serverConfig } from '../server.ts';
import { columnsOfOutput, highlighted, print, printJson, ProgressLine, styled, tell } from '../terminal.ts';
import { hanging, shortened, visible, visibleLines } from '../text.ts';

interface QuestionOptions extends ServerOptions {
  readonly dataset: readonly string[];
  readonly filter?: string;
}

interface AskOptions extends QuestionOptions {
  readonly mode?: 'auto' | 'summarize' | 'research';
  readonly showRefs?: boolean;
  readonly outputDir?: string;
}

export const ask = (call: Call<AskOptions>, question?: string): Promise<number | undefined> =>
  asking(call, async (client, signal) => {
    const { dataset: datasets, mode, filter } = call.options;
    const wanted = await questionOf(question, signal);
    const steps = client.ask(wanted, datasets, { filter, signal, ...(mode !== undefined && { mode }) });
    await printAnswer(client, await lastOf(steps), call.options);
    return undefined;
  });

export const research = (call: Call<AskOptions>, question?: string): Promise<number | undefined> =>
  asking(call, async (client, signal) => {
    const { dataset: datasets, filter } = call.options;
    const steps = client.research(await questionOf(question, signal), datasets, { filter, signal });
    await printAnswer(client, await lastOf(steps), call.options);
    return undefined;
  });

/** Shows progress over one line of the terminal; the answer is what remains. */
async function lastOf(steps: ReturnType<Client['ask']>): Promise<Answer> {
  const line = new ProgressLine();
  try {
    for await (const step of steps) {
      if (step.type === 'answer') return step;
      line.show(visible(step.update));
    }
  } finally {
    line.clear();
  }
  throw new Error('the server ended without an answer');
}

async function printAnswer(client: Client, answer: Answer, options: AskOptions): Promise<void> {
  const { output, outputDir } = options;
  await using citations = new Citations(client, serverConfig(options), outputDir ?? null);
  if (output === 'json') {
    printJson(answerJson(answer, outputDir === undefined ? new Map() : await citations.of(answer)));
    return;
  }
  if (answer.facts.length === 0) {
    print('Nothing in these datasets answers that.');
    return;
  }
  const columns = columnsOfOutput();
  const numbers = new Map(Object.keys(answer.refs).map((id, at) => [id, at + 1]));
  for (const { fact, refIds } of answer.facts) {
    const badges = refIds.map((id) => `[${numbers.get(id)}]`).join('');
    const text = hanging('• ', `${fact} ${badges}`, columns);
    print(highlighted(text, badges, 'cyan'));
  }
  print('');
  for (const citation of (await citations.of(answer)).values()) printCitation(citation, options, columns);
  print(`\nconfidence ${Math.round(answer.confidence)} of 100`);
}

const INDENT = '    ';

function printCitation(citation: Citation, { showRefs = false }: AskOptions, columns: number): void {
  const { number, ref, pageLabel, url, problem } = citation;
  const badge = `[${number}] `;
  const label = pageLabel === '' ? '' : `, page ${pageLabel}`;
  print(highlighted(hanging(badge, `${ref.docName}${label}`, columns), badge, 'cyan'));
  // A link that is broken in lines leads nowhere.
  if (url !== null) print(`${INDENT}${styled('underline', url)}`);
  else tell(`quern: no link to ${visible(ref.docName)}: ${problem}`);
  const description = showRefs ? passageLines(ref, columns) : descriptionOf(citation, columns);
  if (description !== '') print(description);
}

const QUOTES_MAX = 4;
const QUOTE_LETTERS_MAX = 200;

/** Under which heading it stands, and the words that facts rest on. */
function descriptionOf({ heading, ref: { quotes = [] } }: Citation, columns: number): string {
  const words = quotes
    .slice(0, QUOTES_MAX)
    .map(({ text }) => `“${shortened(plainCells(text), QUOTE_LETTERS_MAX)}”`);
  const more = quotes.length > QUOTES_MAX ? ' …' : '';
  const text = [heading, `${words.join(' ')}${more}`].filter((part) => part !== '').join(': ');
  return text === '' ? '' : hanging(INDENT, text, columns);
}

/** Cells as a reader says them: `[Revenue]=12` is `Revenue: 12`. */
const plainCells = (text: string): string =>
  text.replaceAll(/\[([^\]]*)\]=/g, '$1: ').replaceAll(/\s+/g, ' ');

function passageLines({ content }: SearchResult, columns: number): string {
  if (content?.type !== 'chunk') return '';
  const bar = `${INDENT}│ `;
  return visibleLines(content.data.text)
    .map((line) => hanging(bar, line, columns).replaceAll(`\n${' '.repeat(bar.length)}`, `\n${bar}`))
    .join('\n');
}

/** As the server's `ask_json` gives it; with where the files are that were put somewhere. */
function answerJson({ facts, refs, confidence }: Answer, citations: ReadonlyMap<string, Citation>): unknown {
  const placeOf = (id: string): object => {
    const { file, url, pageLabel } = citations.get(id) ?? {};
    return file === undefined ? {} : { file, url, page_label: pageLabel };
  };
  return {
    facts: facts.map(({ fact, refIds }) => ({ fact, ref_ids: refIds })),
    refs: Object.fromEntries(
      Object.entries(refs).map(([id, ref]) => [id, { ...resultJson(ref), ...placeOf(id) }]),
    ),
    confidence,
  };
}

function contentJson(content: Content | undefined): unknown {
  if (content?.type === 'chunk') return { text: content.data.text, doc_pages: content.data.docPages };
  if (content?.type !== 'image') return null;
  return { mime_type: content.data.mimeType, data: Buffer.from(content.data.data).toString('base64') };
}

const resultJson = ({
  docId,
  docType,
  dataset,
  contentId,
  docName,
  content,
  metadata,
  score,
  quotes,
}: SearchResult): object => ({
  ...(score !== undefined && { score }),
  doc_id: docId,
  doc_type: docType,
  dataset,
  content_id: contentId,
  doc_name: docName,
  content: contentJson(content),
  metadata,
  ...(quotes !== undefined && { quotes }),
});

interface SearchOptions extends QuestionOptions {
  readonly topK: number;
}

export const search = (call: Call<SearchOptions>, query?: string): Promise<number | undefined> =>
  asking(call, async (client, signal) => {
    const { dataset: datasets, filter, topK, output } = call.options;
    const wanted = await questionOf(query, signal);
    const found: SearchResult[] = [];
    for await (const one of client.search(wanted, datasets, topK, { filter, signal })) found.push(one);
    if (output === 'json') {
      printJson(found.map(resultJson));
      return undefined;
    }
    for (const [at, one] of found.entries()) printResult(at + 1, one);
    if (found.length === 0) print('(none)');
    return undefined;
  });

const SHOWN_LETTERS = 400;

function printResult(number: number, { docName, dataset, content, score }: SearchResult): void {
  const columns = columnsOfOutput();
  const pages = content?.type === 'chunk' ? content.data.docPages : [];
  const where = pages.length === 0 ? '' : `, page ${pages.join(', ')}`;
  const lead = `${number}. `;
  const name = visible(docName);
  const line = hanging(lead, `${name}${where} (${dataset}, ${(score ?? 0).toFixed(3)})`, columns);
  print(highlighted(highlighted(line, name, 'bold'), lead, 'cyan'));
  const text = content?.type === 'chunk' ? content.data.text : '(image)';
  print(hanging('   ', shortened(text, SHOWN_LETTERS), columns));
}
