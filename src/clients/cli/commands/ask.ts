/** `quern ask`, `quern research` and `quern search`: answers with citations one can open, and passages. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Answer, Content, SearchResult } from '../../typescript/src/asking.ts';
import type { Client } from '../../typescript/src/client.ts';
import { asking, type ServerOptions, UsageError } from '../session.ts';
import { print, printJson, ProgressLine, styled } from '../terminal.ts';
import { identifier } from '../../typescript/src/wire/names.ts';

interface AskOptions extends ServerOptions {
  readonly dataset: readonly string[];
  readonly mode?: string;
  readonly filter?: string;
  readonly showRefs?: boolean;
  readonly outputDir?: string;
}

type Mode = 'auto' | 'summarize' | 'research';
const MODES: readonly string[] = ['auto', 'summarize', 'research'];

export const ask = (question: string, options: AskOptions): Promise<number> =>
  asking(options, async (client, signal) => {
    const { dataset: datasets, mode, filter } = options;
    if (mode !== undefined && !MODES.includes(mode))
      throw new UsageError(`--mode is one of ${MODES.join(', ')}`);
    const steps = client.ask(question, datasets, {
      filter,
      signal,
      ...(mode !== undefined && { mode: mode as Mode }),
    });
    await printAnswer(client, await lastOf(steps), options);
    return undefined;
  });

export const research = (question: string, options: AskOptions): Promise<number> =>
  asking(options, async (client, signal) => {
    const steps = client.research(question, options.dataset, { filter: options.filter, signal });
    await printAnswer(client, await lastOf(steps), options);
    return undefined;
  });

/** What is being done goes over one line of the terminal; the answer is what remains. */
async function lastOf(steps: ReturnType<Client['ask']>): Promise<Answer> {
  const line = new ProgressLine();
  try {
    for await (const step of steps) {
      if (step.type === 'answer') return step;
      line.show(step.update);
    }
  } finally {
    line.clear();
  }
  throw new Error('the server ended without an answer');
}

async function printAnswer(client: Client, answer: Answer, options: AskOptions): Promise<void> {
  if (options.output === 'json') {
    printJson(answerJson(answer));
    return;
  }
  if (answer.facts.length === 0) {
    print('Nothing in these datasets answers that.');
    return;
  }
  const numbers = new Map(Object.keys(answer.refs).map((id, at) => [id, at + 1]));
  for (const { fact, refIds } of answer.facts) {
    const badges = refIds.map((id) => `[${numbers.get(id)}]`).join('');
    print(`• ${fact} ${styled('cyan', badges)}`);
  }
  print('');
  const links = await linksOf(client, answer, options.outputDir);
  for (const [id, number] of numbers) {
    const ref = answer.refs[id];
    if (ref !== undefined) printCitation(number, ref, links.get(id) ?? null, options.showRefs ?? false);
  }
  print(`\nconfidence ${Math.round(answer.confidence)} of 100`);
}

interface Link {
  readonly url: string;
  readonly label: string;
}

function printCitation(number: number, ref: SearchResult, link: Link | null, isWhole: boolean): void {
  const label = link === null || link.label === '' ? '' : `, page ${link.label}`;
  print(`${styled('cyan', `[${number}]`)} ${ref.docName}${label}`);
  if (link !== null) print(`    ${styled('underline', link.url)}`);
  if (isWhole && ref.content?.type === 'chunk') {
    print(ref.content.data.text.replaceAll(/^/gm, '    │ '));
  }
}

/** Cited files lie in a folder, each link leads to its page. */
async function linksOf(
  client: Client,
  answer: Answer,
  folder: string | undefined,
): Promise<Map<string, Link>> {
  const root = folder ?? join(tmpdir(), 'quern-citations');
  const files = new Map<string, { readonly path: string; readonly labels: readonly string[] }>();
  const links = new Map<string, Link>();
  for (const [id, ref] of Object.entries(answer.refs)) {
    const key = `${ref.dataset}\0${ref.docId}`;
    const known = files.get(key) ?? (await fileOf(client, ref, root));
    files.set(key, known);
    const page = ref.content?.type === 'chunk' ? ref.content.data.docPages[0] : undefined;
    const anchor = page === undefined ? '' : `#page=${page}`;
    const label = page === undefined ? '' : (known.labels[page - 1] ?? String(page));
    links.set(id, { url: `${pathToFileURL(known.path)}${anchor}`, label });
  }
  return links;
}

async function fileOf(
  client: Client,
  { dataset, docId, docName }: SearchResult,
  root: string,
): Promise<{ readonly path: string; readonly labels: readonly string[] }> {
  const folder = join(root, encodeURIComponent(dataset), encodeURIComponent(docId));
  mkdirSync(folder, { recursive: true });
  const path = join(folder, basename(docName));
  writeFileSync(path, await client.dataset(dataset).getFile(docId));
  const relation = `${identifier(dataset)}.documents`;
  const [row] = await client.sql(
    `SELECT properties -> 'page_labels' AS labels FROM ${relation} WHERE doc_id = $1`,
    [docId],
  );
  return { path, labels: Array.isArray(row?.labels) ? row.labels.map(String) : [] };
}

/** As the server's `ask_json` gives it. */
function answerJson({ facts, refs, confidence }: Answer): unknown {
  return {
    facts: facts.map(({ fact, refIds }) => ({ fact, ref_ids: refIds })),
    refs: Object.fromEntries(Object.entries(refs).map(([id, ref]) => [id, resultJson(ref)])),
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
}: SearchResult): unknown => ({
  ...(score !== undefined && { score }),
  doc_id: docId,
  doc_type: docType,
  dataset,
  content_id: contentId,
  doc_name: docName,
  content: contentJson(content),
  metadata,
});

interface SearchOptions extends AskOptions {
  readonly topK: string;
}

export const search = (query: string, options: SearchOptions): Promise<number> =>
  asking(options, async (client, signal) => {
    const found: SearchResult[] = [];
    const { dataset: datasets, filter } = options;
    for await (const one of client.search(query, datasets, Number(options.topK), { filter, signal }))
      found.push(one);
    if (options.output === 'json') {
      printJson(found.map(resultJson));
      return undefined;
    }
    for (const [at, one] of found.entries()) printResult(at + 1, one);
    if (found.length === 0) print('(none)');
    return undefined;
  });

const SHOWN_CHARACTERS = 400;

function printResult(number: number, { docName, dataset, content, score }: SearchResult): void {
  const pages = content?.type === 'chunk' ? content.data.docPages : [];
  const where = pages.length === 0 ? '' : `, page ${pages.join(', ')}`;
  print(
    `${styled('cyan', `${number}.`)} ${styled('bold', docName)}${where} (${dataset}, ${(score ?? 0).toFixed(3)})`,
  );
  const text = content?.type === 'chunk' ? content.data.text : `(image)`;
  const cut = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)} …` : text;
  print(cut.replaceAll(/^/gm, '   '));
}
