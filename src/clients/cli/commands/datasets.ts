/** `quern dataset …`, `quern list`, `quern delete`: datasets and their documents. */
import type { Dataset } from '../../typescript/src/datasets.ts';
import { asking, type ServerOptions, UsageError } from '../session.ts';
import { print, printJson, printList, tell } from '../terminal.ts';

interface NameOptions extends ServerOptions {
  readonly description?: string;
}

const shown = ({ name, description, region, createdAt }: Dataset): Record<string, unknown> => ({
  name,
  description,
  region,
  created_at: createdAt,
});

function printDataset(options: ServerOptions, dataset: Dataset): void {
  if (options.output === 'json') printJson(shown(dataset));
  else for (const [name, value] of Object.entries(shown(dataset))) print(`${name.padEnd(12)}${value}`);
}

export const listDatasets = (options: ServerOptions): Promise<number> =>
  asking(options, async (client) => {
    printList(options.output, (await client.datasets().list()).map(shown));
    return undefined;
  });

export const getDataset = (name: string, options: ServerOptions): Promise<number> =>
  asking(options, async (client) => {
    printDataset(options, await client.datasets().get(name));
    return undefined;
  });

export const createDataset = (name: string, options: NameOptions): Promise<number> =>
  asking(options, async (client) => {
    printDataset(options, await client.datasets().create(name, options.description));
    return undefined;
  });

export const updateDataset = (name: string, options: NameOptions): Promise<number> =>
  asking(options, async (client) => {
    printDataset(options, await client.datasets().update(name, options.description));
    return undefined;
  });

interface DeleteOptions extends ServerOptions {
  readonly yes?: boolean;
}

export const deleteDataset = (name: string, options: DeleteOptions): Promise<number> =>
  asking(options, async (client) => {
    await confirmed(`Delete dataset ${name} with all its documents?`, options);
    await client.datasets().delete(name);
    if (options.output === 'json') printJson({ deleted: name });
    else print(`deleted ${name}`);
    return undefined;
  });

interface DocumentOptions extends ServerOptions {
  readonly dataset: string;
}

export const listDocuments = (options: DocumentOptions): Promise<number> =>
  asking(options, async (client, signal) => {
    const documents: Record<string, unknown>[] = [];
    for await (const one of client.dataset(options.dataset).list({ signal })) {
      const { mimeType, statusReason, ...rest } = one;
      const { metadata, ...first } = rest;
      documents.push({ ...first, mime_type: mimeType, status_reason: statusReason, metadata });
    }
    printList(options.output, documents);
    return undefined;
  });

interface DeleteDocumentOptions extends DocumentOptions {
  readonly id: readonly string[];
  readonly wait?: boolean;
}

export const deleteDocuments = (options: DeleteDocumentOptions): Promise<number> =>
  asking(options, async (client) => {
    const dataset = client.dataset(options.dataset);
    for (const id of options.id) {
      const handle = await dataset.delete(id);
      await dataset.waitForHandle(handle);
      if (options.output === 'text') print(`deleted ${id}`);
    }
    if (options.output === 'json') printJson({ deleted: options.id });
    return undefined;
  });

/** Asks on a terminal; where nobody can answer, `--yes` has to be there. */
export async function confirmed(
  question: string,
  { yes = false }: { readonly yes?: boolean },
): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY) throw new UsageError(`${question} Add --yes: there is no terminal to ask on.`);
  const { createInterface } = await import('node:readline/promises');
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await prompt.question(`${question} [y/N] `);
  prompt.close();
  if (/^y(?:es)?$/i.test(answer.trim())) return;
  tell('nothing done');
  throw new UsageError('not confirmed');
}
