/** The import table of the architecture, and the doors of folders: `scripts/tidy.test.ts` holds them. */

/** Folder of src/ to the folders it may import, besides itself and the root leaf files. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  types: [],
  language: [],
  functions: ['types', 'language'],
  tables: ['language'],
  storage: [],
  inference: [],
  queue: ['types', 'session'],
  ingest: ['types', 'language', 'tables', 'session', 'inference', 'queue'],
  ask: ['types', 'language', 'tables', 'functions', 'inference', 'session', 'queue'],
  catalog: ['types', 'language', 'functions'],
  index: ['types', 'language'],
  engine: ['types', 'catalog', 'index', 'storage'],
  plan: ['types', 'language', 'functions', 'catalog'],
  sql: ['types', 'functions', 'catalog', 'plan'],
  optimize: ['types', 'functions', 'catalog', 'plan'],
  physical: ['types', 'functions', 'catalog', 'plan'],
  execute: ['types', 'functions', 'catalog', 'plan', 'physical', 'engine', 'inference'],
  session: [
    'types',
    'language',
    'functions',
    'catalog',
    'sql',
    'plan',
    'optimize',
    'physical',
    'execute',
    'engine',
    'inference',
  ],
  wire: ['types', 'session'],
  http: ['types', 'session'],
  clients: [],
  'data-folder.ts': ['engine', 'session', 'storage'],
};

/** Files of a folder that other folders may import, where it keeps the rest to itself. main.ts puts all together. */
export const DOORS: Readonly<Record<string, readonly string[]>> = {
  index: [
    'explanation.ts',
    'keywords/web-requests.ts',
    'registry.ts',
    'request.ts',
    'structure.ts',
    'top-rows.ts',
    'typed-text.ts',
  ],
  engine: ['engine.ts', 'embedded/embedded-engine.ts', 'embedded/open.ts', 'embedded/settings.ts'],
  inference: [
    'absent-model.ts',
    'json-endpoint.ts',
    'onnx-session.ts',
    'provider.ts',
    'query-text.ts',
    'sender.ts',
    'slots.ts',
  ],
  sql: [
    'ast.ts',
    'parse/parse.ts',
    'parse/service.ts',
    'bind/bind.ts',
    'bind/filling.ts',
    'deparse/definitions.ts',
  ],
  optimize: ['optimize.ts', 'row-estimate.ts', 'rule.ts'],
  session: [
    'protocol.ts',
    'server-session.ts',
    'answers/keep.ts',
    'datasets/asker.ts',
    'datasets/draw-page.ts',
    'datasets/file-password.ts',
    'datasets/media-type.ts',
    'datasets/metadata.ts',
    'datasets/parameters.ts',
    'datasets/pending.ts',
    'datasets/queue-relations.ts',
    'datasets/ranking/naming.ts',
    'datasets/relations.ts',
    'datasets/subjects/find-subjects.ts',
    'datasets/subjects/store-subjects.ts',
    'datasets/table-relations.ts',
    'datasets/terms/find-terms.ts',
    'evaluation/relations.ts',
    'research/relations.ts',
    'research/researcher.ts',
    'sign-in/keys.ts',
    'whose.ts',
  ],
};

/** They may import everything: the command, and what it loads for a server. */
export const ROOTS = ['command.ts', 'main.ts', 'http-port.ts', 'warm-up.ts'];

/** Files at the root of src/ that everyone may import. */
export const LEAVES = [
  'errors.ts',
  'error-kinds.ts',
  'limits.ts',
  'assert.ts',
  'task.ts',
  'time-slice.ts',
  'epoch.ts',
  'seeded-random.ts',
  'bounded-cache.ts',
  'binary-search.ts',
  'edit-distance.ts',
  'program-file.ts',
  'worker-calls.ts',
  'text-hash.ts',
  'unless-aborted.ts',
  'network-address.ts',
];

/** Rooms of a folder of which none imports one that stands behind it. */
export const ROOM_ORDER = ['execute/arms', 'execute/scan', 'execute/ranking'];
