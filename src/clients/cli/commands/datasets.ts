/** `quern dataset …`, `quern list`, `quern delete`: datasets and their documents. */
import type { Client } from '../../typescript/src/client.ts';
import type { Dataset } from '../../typescript/src/datasets.ts';
import { checkName, identifier, textLiteral } from '../../typescript/src/wire/names.ts';
import { EXIT } from '../errors.ts';
import { confirmed } from '../input.ts';
import type { Call } from '../running.ts';
import { asking, type ServerOptions } from '../server.ts';
import { printList } from '../table.ts';
import { print, printJson, tell } from '../terminal.ts';
import { visible } from '../text.ts';

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
  else
    for (const [name, value] of Object.entries(shown(dataset)))
      print(`${name.padEnd(12)}${visible(String(value))}`);
}

export const listDatasets = (call: Call<ServerOptions>): Promise<number | undefined> =>
  asking(call, async (client) => {
    printList(call.options.output, (await client.datasets().list()).map(shown));
    return undefined;
  });

export const getDataset = (call: Call<ServerOptions>, name: string): Promise<number | undefined> =>
  asking(call, async (client) => {
    printDataset(call.options, await client.datasets().get(name));
    return undefined;
  });

interface CreateOptions extends NameOptions {
  /** Where the dataset is to be; the server refuses one that it does not hold. */
  readonly datasetRegion?: string;
}

export const createDataset = (call: Call<CreateOptions>, name: string): Promise<number | undefined> =>
  asking(call, async (client) => {
    const { description, datasetRegion } = call.options;
    const given = { description, region: datasetRegion };
    const options = Object.entries(given).flatMap(([option, value]) =>
      value === undefined ? [] : [`${option} = ${textLiteral(value)}`],
    );
    const rest = options.length === 0 ? '' : ` WITH (${options.join(', ')})`;
    await client.sql(`CREATE DATASET ${identifier(checkName('dataset', name))}${rest}`);
    printDataset(call.options, await client.datasets().get(name));
    return undefined;
  });

export const updateDataset = (call: Call<NameOptions>, name: string): Promise<number | undefined> =>
  asking(call, async (client) => {
    printDataset(call.options, await client.datasets().update(name, call.options.description));
    return undefined;
  });

interface DeleteOptions extends ServerOptions {
  readonly yes?: boolean;
}

export const deleteDataset = (call: Call<DeleteOptions>, name: string): Promise<number | undefined> =>
  asking(call, async (client, signal) => {
    await confirmed(`Delete dataset ${name} with all its documents?`, call.options, signal);
    await client.datasets().delete(name);
    if (call.options.output === 'json') printJson({ deleted: name });
    else print(`deleted ${name}`);
    return undefined;
  });

interface DocumentOptions extends ServerOptions {
  readonly dataset: string;
}

export const listDocuments = (call: Call<DocumentOptions>): Promise<number | undefined> =>
  asking(call, async (client, signal) => {
    const documents: Record<string, unknown>[] = [];
    for await (const one of client.dataset(call.options.dataset).list({ signal })) {
      const { mimeType, statusReason, ...rest } = one;
      const { metadata, ...first } = rest;
      documents.push({ ...first, mime_type: mimeType, status_reason: statusReason, metadata });
    }
    printList(call.options.output, documents);
    return undefined;
  });

interface DeleteDocumentOptions extends DocumentOptions {
  readonly id: readonly string[];
}

/** Ids that are not there are told, and make the exit code 1, as of `rm`. */
export const deleteDocuments = (call: Call<DeleteDocumentOptions>): Promise<number | undefined> =>
  asking(call, async (client, signal) => {
    const { dataset: name, id: given, output } = call.options;
    const dataset = client.dataset(name);
    const ids = [...new Set(given)];
    const there = await documentsOf(client, name, ids);
    const deleted: string[] = [];
    try {
      for (const id of ids.filter((one) => there.has(one))) {
        signal.throwIfAborted();
        await dataset.waitForHandle(await dataset.delete(id));
        deleted.push(id);
        if (output === 'text') print(`deleted ${visible(id)}`);
      }
    } finally {
      const absent = ids.filter((id) => !there.has(id));
      if (output === 'json') printJson({ deleted, absent });
      else for (const id of absent) tell(`quern: dataset ${name} has no document ${visible(id)}`);
    }
    return ids.every((id) => there.has(id)) ? EXIT.ok : EXIT.failed;
  });

async function documentsOf(client: Client, dataset: string, ids: readonly string[]): Promise<Set<string>> {
  await client.datasets().get(dataset);
  const sql = `SELECT doc_id FROM ${identifier(dataset)}.documents WHERE doc_id = ANY($1::text[])`;
  return new Set((await client.sql(sql, [ids])).map((row) => String(row.doc_id)));
}
