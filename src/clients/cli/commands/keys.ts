/** `quern key list | create | revoke`: API keys of a server, by statements. */
import { identifier, textLiteral } from '../../typescript/src/wire/names.ts';
import { confirmed } from '../input.ts';
import type { Call } from '../running.ts';
import { asking, type ServerOptions } from '../server.ts';
import { printList } from '../table.ts';
import { print, printJson } from '../terminal.ts';

const LIST = `SELECT name, prefix, role, collections, partitions, datasets, read_only, outside, addresses,
  attributes, created_at, expires_at, last_used FROM quern.api_keys ORDER BY name`;

export const listKeys = (call: Call<ServerOptions>): Promise<number | undefined> =>
  asking(call, async (client) => {
    printList(call.options.output, (await client.sql(LIST)) as Record<string, unknown>[]);
    return undefined;
  });

export interface KeyOptions extends ServerOptions {
  readonly role?: string;
  readonly expires?: string;
  readonly collections?: string;
  readonly partitions?: string;
  readonly datasets?: string;
  readonly addresses?: string;
  readonly attributes?: string;
  readonly readOnly?: boolean;
  readonly outside?: boolean;
}

/** Options of the statement that take a text, as the command has them. */
export const KEY_OPTIONS = {
  role: 'whose rights it has: owner, admin, writer, reader (the default), or a role of your own',
  expires: 'its end: 2027-01-01, or an interval such as "90 days"',
  collections: 'the only collections and tables that it reaches, with commas',
  partitions: 'the only partitions of collections that it reaches',
  datasets: 'the only datasets that it reaches',
  addresses: 'the only networks that it comes from: 10.0.0.0/8,2001:db8::/32',
  attributes: 'for row rules, as JSON: {"tenant": "a"}',
} as const;

/** The key is the only thing on standard output, so that a script can keep it. */
export const createKey = (call: Call<KeyOptions>, name: string | undefined): Promise<number | undefined> =>
  asking(call, async (client) => {
    const { options } = call;
    const given = (Object.keys(KEY_OPTIONS) as (keyof typeof KEY_OPTIONS)[]).flatMap((option) => {
      const value = options[option];
      return value === undefined ? [] : [`${option} = ${textLiteral(value)}`];
    });
    if (options.readOnly === true) given.push('read_only = true');
    if (options.outside === false) given.push('outside = off');
    const named = name === undefined ? '' : ` ${identifier(name)}`;
    const rest = given.length === 0 ? '' : ` WITH (${given.join(', ')})`;
    const [made] = (await client.sql(`CREATE API KEY${named}${rest}`)) as { name: string; key: string }[];
    if (options.output === 'json') printJson({ ...made });
    else print(String(made?.key));
    return undefined;
  });

interface RevokeOptions extends ServerOptions {
  readonly yes?: boolean;
}

export const revokeKey = (call: Call<RevokeOptions>, name: string): Promise<number | undefined> =>
  asking(call, async (client, signal) => {
    await confirmed(`Revoke key ${name}, and end its sessions?`, call.options, signal);
    await client.sql(`DROP API KEY ${identifier(name)}`);
    if (call.options.output === 'json') printJson({ revoked: name });
    else print(`revoked ${name}`);
    return undefined;
  });
