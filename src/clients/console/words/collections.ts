/** Words of the pages of collections. */

/** A document's fault, as the server says it. */
interface ReasonGiven {
  readonly kind: string;
  readonly expected?: string | number;
  readonly got?: string | number;
  readonly message?: string;
}

const alsoYours = (both: number): string =>
  both === 0 ? '; none of them is one that you changed.' : `, ${both} of them changed by you too.`;

export const COLLECTION_WORDS = {
  find: 'Find a collection',
  listed: (shown: string, all: string) => (shown === all ? `${all} in all` : `${shown} of ${all}`),
  name: 'Name',
  rowCount: 'Rows',
  size: 'Size',
  indexes: 'Indexes',
  state: 'State',
  changed: 'Changed',
  plain: 'table',
  collection: 'collection',
  table: 'table',
  notTold: 'not told',
  noneFound: (typed: string) => `Nothing is called “${typed}”.`,
  ready: 'ready',
  building: 'building an index',
  embedding: (rows: string) => `${rows} rows being embedded`,
  kinds: {
    keyword: 'keyword',
    semantic: 'meaning',
    vector: 'vector',
    multi_vector: 'multi-vector',
    ngram: 'ngram',
    btree: 'btree',
  } as Readonly<Record<string, string>>,
  rowRules: 'row rules',
  noRead: 'you may not read it',
  gone: (name: string) => `There is no collection ${name}`,
  goneSaid: 'It may have been dropped or renamed meanwhile, or your role may not see it.',
  toList: 'See all collections',
  sides: { rows: 'Rows', schema: 'Schema', indexes: 'Indexes', settings: 'Settings' },

  empty: 'No collections yet',
  emptySaid:
    'A collection is a table whose texts and vectors can be searched by words, by meaning, and by both. Begin with 1,500 films and what they are about: this is how they are stored.',
  noneSeen: 'There is no collection that you may see',
  noneSeenSaid: 'Your role may read none, and make none. Who owns one, or an admin, may grant it:',
  grantSql: 'GRANT SELECT ON films TO your_role',
  loadFilms: 'Load the 1,500 sample films',
  loading: (done: string, all: string) => `${done} of ${all} films are stored and embedded`,
  ownTitle: 'Or your own',
  ownSaid: 'Make a collection by a form, then fill it from CSV, JSON lines or Parquet.',
  lineSaid: 'Or connect: any PostgreSQL client will do. The password is an API key.',

  create: {
    open: 'Create a collection',
    title: 'Create a collection',
    name: 'Name',
    nameHelp: 'Letters, digits and _ need no quotes in SQL.',
    submit: (name: string) => (name === '' ? 'Create' : `Create ${name}`),
    field: 'Field',
    type: 'Type',
    index: 'Found by',
    required: 'Required',
    dimension: 'Dimension',
    addField: 'Add a field',
    remove: (name: string) => (name === '' ? 'Remove the field' : `Remove ${name}`),
    fieldsSaid: 'Each row has an _id besides. Fields that you do not declare may come with the rows.',
    indexes: {
      none: 'its value',
      keyword: 'words',
      semantic: 'meaning',
      both: 'words and meaning',
      vector: 'nearness',
      multi: 'nearness (MaxSim)',
    },
    faults: {
      noName: 'A field needs a name',
      reserved: 'Names that begin with _ are the server’s',
      twice: 'There is a field of this name',
      dimension: 'A number',
    },
  },

  rows: {
    label: (name: string) => `Rows of ${name}`,
    import: 'Import rows',
    add: 'Add a row',
    search: 'Search by words',
    addFilter: 'Filter',
    removeFilter: (said: string) => `Remove the filter ${said}`,
    openInQuery: 'Open as a query',
    column: 'Column',
    operator: 'Condition',
    value: 'Value',
    timePlaceholder: '2026-11-28 09:00+00',
    apply: 'Apply',
    operators: {
      is: '=',
      isNot: '≠',
      less: '<',
      atMost: '≤',
      more: '>',
      atLeast: '≥',
      contains: 'contains',
      begins: 'begins with',
      has: 'has',
      empty: 'is NULL',
      filled: 'is not NULL',
    },
    count: (rows: string, isCounted: boolean) => {
      const said = rows === '1' ? '1 row' : `${rows} rows`;
      return isCounted ? said : `${said}, being counted`;
    },
    ranked: 'the best by words first',
    noKey: 'Read only: without a primary key no row can be told from another',
    readOnly: 'Read only: your role may not change these rows',
    noneMatch: 'No row meets all of this',
    noneMatchSaid: 'Take a filter away, or look at what it asks in SQL.',
    clear: 'Clear filters and search',
    empty: 'No rows yet',
    emptySaid: 'Bring rows from CSV, JSON lines or Parquet, add one by a form, or send them by SQL.',
  },

  row: {
    newTitle: 'New row',
    previous: 'Previous row (↑)',
    next: 'Next row (↓)',
    copyKey: 'Copy the key',
    delete: (key: string) => `Delete ${key}`,
    deleteSaid: (name: string) =>
      `The row goes from ${name} and from all of its indexes. It cannot be brought back.`,
    gone: (key: string) => `There is no row ${key}`,
    goneSaid: 'It may have been deleted meanwhile, or a row rule hides it from your role.',
    goneMeanwhile: 'The row was deleted by somebody else since you opened it. What you typed is still here.',
    view: 'Edit as',
    views: { form: 'Form', json: 'JSON' },
    json: 'The row as JSON',
    noObject: 'A row is one JSON object',
    keyStays: (name: string) => `${name} is the key: it stays. Add a new row for another key.`,
    discard: 'Discard',
    save: (fields: number) => (fields === 1 ? 'Save 1 field' : `Save ${fields} fields`),
    add: 'Add the row',
    undeclared: 'undeclared',
    key: 'key',
    isRequired: 'required',
    setNull: (name: string) => `NULL: ${name}`,
    addField: 'Add a field',
    addIt: 'Add',
    addFieldSaid: 'Its type is that of its first value.',
    fieldName: 'Name of the field',
    taken: 'It is taken, or the server’s',
  },

  stale: {
    title: 'This row has changed since you opened it.',
    said: (changed: number, both: number) =>
      `${changed === 1 ? '1 field is' : `${changed} fields are`} different now${alsoYours(both)}`,
    field: 'Field',
    theirs: 'Now stored',
    mine: 'Yours',
    untouched: 'not changed by you',
    merge: 'Save only my changes',
    overwrite: 'Overwrite with my whole row',
    takeTheirs: 'Discard mine',
  },

  import: {
    packed: (codec: string) =>
      `The file is packed with ${codec}, which is not read here: write it with Snappy, or without compression.`,
    title: (name: string) => `Import rows into ${name}`,
    choose: 'Choose a file',
    chooseOther: 'Choose another file',
    drop: 'or drop it here: CSV, JSON lines or Parquet',
    opened: (name: string, size: string, format: string) => `${name}: ${format}, ${size}`,
    formats: { csv: 'CSV', jsonl: 'JSON lines', parquet: 'Parquet' },
    unreadable: 'Is it CSV with names in its first line, JSON lines, or Parquet, in UTF-8?',
    mapping: 'What goes where',
    goesTo: 'goes to',
    target: (column: string) => `Where ${column} goes`,
    leftOut: 'left out',
    newField: (name: string) => `${name} (new)`,
    noId: 'No column of the file goes to _id: the number of the line is each row’s _id. Importing again then replaces the same rows.',
    preview: (rows: number) =>
      `The first ${rows} rows. Types of new fields are those that the first 500 values look like.`,
    start: (name: string) => `Import ${name}`,
    line: 'Line',
    field: 'Field',
    why: 'Why it was not stored',
    progress: (stored: string, faults: string, rate: string) =>
      `${stored} stored, ${faults} not, ${rate} a second`,
    titles: {
      running: (name: string) => `Importing ${name}`,
      paused: (name: string) => `${name} waits`,
      done: (name: string) => `${name} is imported`,
      stopped: (name: string) => `${name} was stopped`,
    },
    rows: (rows: string, isOne: boolean) => (isOne ? '1 row' : `${rows} rows`),
    stored: (rows: string, time: string) => `${rows} stored, in ${time}.`,
    notStored: (rows: number) =>
      rows === 1
        ? '1 was not: it is listed below.'
        : `${rows.toLocaleString()} were not: they are listed below.`,
    seeRows: 'See the rows',
    another: 'Import another file',
    faults: (rows: string) => `${rows} not stored`,
    download: 'Download this list as CSV',
    tooManyFields: (found: number, named: number) => `${found} fields, and the first line names ${named}`,
    openQuote: 'A quote opens and never closes',
    noObject: 'It is no JSON object',
    reason: ({ kind, expected, got, message }: ReasonGiven) => {
      if (message !== undefined) return message;
      if (kind === 'missing_field' || kind === 'missing_id') return 'It is required, and is missing';
      if (kind === 'wrong_dimension') return `It takes ${expected} dimensions, and this has ${got}`;
      if (expected !== undefined && got !== undefined) return `It takes ${expected}, and this is ${got}`;
      return kind.replaceAll('_', ' ');
    },
  },

  schema: {
    column: 'Column',
    type: 'Type',
    required: 'Required',
    default: 'Default',
    about: 'About it',
    key: 'primary key',
    undeclared: 'undeclared',
    generated: 'made by the server',
    yes: 'yes',
    no: 'no',
    undeclaredSaid:
      'Undeclared columns came with documents. Their type is that of the values that there are.',
    constraints: 'Constraints',
    add: 'Add a column',
    addIt: (name: string) => (name === '' ? 'Add' : `Add ${name}`),
  },

  indexList: {
    name: 'Name',
    kind: 'Kind',
    columns: 'Over',
    state: 'State',
    size: 'Size',
    options: 'Options',
    none: 'No indexes: rows are found by looking at each.',
    primary: 'primary key',
    unique: 'unique',
    drop: (name: string) => (name === '' ? 'Drop the index' : `Drop ${name}`),
    dropSaid: (columns: string) =>
      `Searches of ${columns} that need this index fail until there is another. The rows stay as they are.`,
    embedding: (rows: string) => `${rows} rows to embed`,
    built: (done: string, all: string) => `${done} of ${all} rows`,
    took: (time: string) => `built in ${time}`,
    add: 'Create an index',
    column: 'Column',
    create: 'Create the index',
    creating: 'Building',
    kinds: {
      keyword: 'keyword: by words',
      semantic: 'semantic: by meaning',
      ngram: 'ngram: by parts of words',
      vector: 'vector: by nearness',
      multi_vector: 'multi-vector: MaxSim',
      btree: 'btree: by value',
    },
    kindsSaid: {
      keyword: 'match() finds words in it, ranked by BM25; hybrid() uses it.',
      semantic:
        'semantic_similarity() finds by meaning; each row’s text is embedded once, by the server’s own model.',
      ngram: 'LIKE, ILIKE and regular expressions find parts of words without reading each row.',
      vector: 'vector_distance() finds the nearest vectors.',
      multi_vector: 'multi_vector_distance() ranks by MaxSim.',
      btree: 'Comparisons and ORDER BY find rows by value; unique: no two rows have the same.',
    },
  },

  settings: {
    name: 'Name',
    rename: 'Rename',
    grants: 'Who may do what',
    grantedBy: (grantor: string) => `granted by ${grantor}`,
    rules: 'Row rules',
    noRules: 'No row rules: who may read it reads every row.',
    rulesHold: 'Each role sees the rows that these rules let it see.',
    rule: (command: string, roles: string, kind: string) => `${command} for ${roles}, ${kind}`,
    drop: 'Drop',
    dropSaid: (rows: string) =>
      `All of it goes: ${rows === '' ? 'its rows' : `${rows} rows`}, its indexes and its rules. It cannot be brought back.`,
    dropIt: (name: string) => `Drop ${name}`,
    notOwner: 'Renaming and dropping are its owner’s.',
  },
} as const;
