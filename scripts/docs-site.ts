/**
 * `node scripts/docs-site.ts`: lays out the pages of docs/ in build/docs-source for the site's generator, with the
 * navigation below. `scripts/docs` calls it, then the generator.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'build/docs-source');

/** Section to its pages, by name of their file; every page of docs/ is in one. */
export const NAVIGATION: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Begin: {
    install: 'Installation',
    'getting-started': 'Getting started',
    differences: 'Differences from PostgreSQL',
  },
  Collections: {
    'undeclared-columns': 'Undeclared columns',
    structs: 'Structs',
    documents: 'Documents',
    indexes: 'Indexes',
    'keyword-search': 'Keyword search',
    models: 'Models',
    vectors: 'Vectors',
    hybrid: 'Hybrid',
    similar: 'Rows like these',
    facets: 'Facets',
    geo: 'Places',
    explain: 'Explain',
  },
  'Datasets and answers': { datasets: 'Datasets', ask: 'Ask and research', evaluation: 'Evaluation' },
  Clients: {
    'clients-python': 'Python',
    'clients-typescript': 'TypeScript',
    'clients-sql': 'What the clients send',
    'clients-ecosystem': 'LangChain and others',
    'command-line': 'Command line',
    console: 'Console',
    http: 'SQL over HTTP',
    agents: 'Agents',
    'dump-and-tools': 'Dump and tools',
  },
  Server: {
    guarantees: 'Guarantees',
    transactions: 'Transactions',
    constraints: 'Constraints',
    connections: 'Connections',
    keys: 'Keys',
    roles: 'Roles and grants',
    'row-rules': 'Row rules',
    audit: 'Audit',
    security: 'Security',
    storage: 'Storage',
    'large-values': 'Large values',
  },
  Reference: { functions: 'Functions and operators', errors: 'Errors', limits: 'Limits' },
};

/** The generator's own: a page that fails to build or a link that leads nowhere ends the build. */
function config(): string {
  const sidebar = Object.entries(NAVIGATION).map(([text, pages]) => ({
    text,
    items: Object.entries(pages).map(([page, title]) => ({ text: title, link: `/${page}` })),
  }));
  return `export default ${JSON.stringify({
    title: 'Quern',
    description: 'A hybrid-retrieval database that speaks the PostgreSQL wire protocol',
    outDir: join(ROOT, 'build/docs-site'),
    cleanUrls: false,
    ignoreDeadLinks: false,
    themeConfig: { sidebar, search: { provider: 'local' }, outline: [2, 3] },
  })};\n`;
}

function layOut(): void {
  rmSync(SOURCE, { recursive: true, force: true });
  mkdirSync(join(SOURCE, '.vitepress'), { recursive: true });
  cpSync(join(ROOT, 'docs'), SOURCE, { recursive: true });
  cpSync(join(ROOT, 'docs/getting-started.md'), join(SOURCE, 'index.md'));
  writeFileSync(join(SOURCE, '.vitepress/config.js'), config());
}

if (import.meta.main) layOut();
