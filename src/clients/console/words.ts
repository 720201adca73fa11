/** All words of the console, in one place, by where they stand. A word says what a thing does: "Delete 3 documents", not "OK". */

import { ASK_WORDS } from './words/ask.ts';
import { BENCH_WORDS } from './words/bench.ts';
import { DATASET_WORDS } from './words/datasets.ts';
import { DOCUMENT_WORDS } from './words/document.ts';
import { QUERY_WORDS } from './words/query.ts';
import { RESEARCH_WORDS } from './words/research.ts';
import { SOURCE_WORDS } from './words/source.ts';
import { COLLECTION_WORDS } from './words/collections.ts';

export const WORDS = {
  close: 'Close',
  cancel: 'Cancel',
  copy: 'Copy',
  copied: 'Copied',
  copySql: 'Copy the SQL',
  copyDetails: 'Copy details',
  retry: 'Try again',
  loading: 'Loading',
  more: 'More',
  stop: 'Stop',
  search: 'Search',
  skip: 'Skip to the content',
  noRight: 'Your role lacks this right. Who owns the object, or an admin, may grant it.',
  notFound: 'There is no such page',
  notFoundSaid: 'It may have been deleted or renamed, or the address has a slip of the pen.',
  null: 'NULL',
  longText: {
    shown: (shown: string, all: string) =>
      shown === all ? `${all} characters` : `The first ${shown} of ${all} characters`,
    all: 'Show all',
    more: 'Show more',
    copy: 'Copy all',
    download: 'Download',
  },
  leave: {
    title: 'Leave without saving?',
    said: 'What you changed here is not stored yet.',
    stay: 'Go on editing',
    leave: 'Leave without saving',
  },
  typeToConfirm: (name: string) => `Type ${name} to go on`,

  pages: {
    home: 'Home',
    ask: 'Ask',
    bench: 'Search bench',
    query: 'Query',
    collections: 'Collections',
    datasets: 'Datasets',
    keys: 'Keys',
  },

  shell: {
    pages: 'Pages',
    pin: 'Show names',
    unpin: 'Hide names',
    theme: 'Theme',
    themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
    help: 'Keyboard and help',
    signedInAs: (role: string) => `Signed in as ${role}`,
    signOut: 'Sign out',
    signOutEverywhere: 'Sign out everywhere',
    palette: 'Go to, or do',
    paletteEmpty: 'Nothing is called that',
    gone: 'The server cannot be reached. What you see may be old; the page goes on when the server is there.',
    back: 'The server is there again.',
  },

  signIn: {
    title: 'Sign in to Quern',
    key: 'API key',
    keyHelp:
      'It begins with quern_. The first start of the server printed the owner’s; CREATE API KEY makes more.',
    submit: 'Sign in',
    wrong: 'This key is not known, has expired, or may not come from here.',
    over: 'Your session is over',
    overSaid: (role: string) =>
      `You were signed in as ${role}. Sign in again, and go on where you were: nothing you typed is lost.`,
    linkUsed: 'This link was used before, or is older than ten minutes. Sign in with a key.',
  },

  help: {
    title: 'Keyboard',
    keys: {
      palette: 'Go to a page, a table or a dataset, or do something',
      go: 'then a letter: go to a page',
      search: 'The search box of the page',
      run: 'Run',
      escape: 'Close, or cancel',
      help: 'This list',
      next: 'Next and previous row',
      open: 'Open the row of a grid',
      source: 'That source of an answer, on its page',
      page: 'Page of a document before, and after',
    },
    single: 'Keys of one letter',
    docs: 'Documentation: docs/ in the checkout, and \\h in psql',
  },

  home: {
    questions: 'Recent questions',
    failures: 'What went wrong',
    none: {
      collections: { said: 'No collections yet.', do: 'Create one, or load the films' },
      datasets: { said: 'No datasets yet.', do: 'Create one, and upload files' },
      questions: { said: 'Nothing was asked yet.', do: 'Ask a question of your documents' },
      failures: { said: 'No file has failed.' },
    },
    noAnswer: 'nothing found',
    nothingSeen: 'There is nothing here that you may see',
    nothingSeenSaid:
      'Your role may read no collection and no dataset, and make none. Who owns one, or an admin, may grant it.',
    facts: (facts: number) => (facts === 1 ? '1 fact' : `${facts} facts`),
    rows: (rows: string) => (rows === '1' ? '1 row' : `${rows} rows`),
    documents: (documents: string) => (documents === '1' ? '1 document' : `${documents} documents`),
    waiting: (files: string) => `${files} being ingested`,
    failed: (files: string) => `${files} failed`,
  },

  start: {
    samples: 'Begin with a sample',
    samplesSaid:
      'Films with plots, to search by words and by meaning; or two reports, to ask and get cited answers from.',
    load: { movies: 'Load the films', documents: 'Load the reports' },
    loading: 'Loading',
    upload: 'Or with what you have',
    uploadSaid:
      'A dataset takes files and answers from their pages. A collection takes rows: CSV, JSON lines, Parquet.',
    toDatasets: 'Upload files',
    toCollections: 'Create a collection',
    connect: 'Or connect a client',
    connectSaid: 'Put your key in the place of quern_…',
    keyPlace: 'quern_…',
    copyLine: (client: string) => `Copy the line for ${client}`,
  },

  device: {
    title: 'A command wants to sign in',
    asks: (client: string) => `${client} asks for a key`,
    from: (address: string) => `It asks from ${address}, and shows the code`,
    said: 'Approve it only where you have begun it yourself, and it shows the same code. It gets a key of your role.',
    name: 'Name of its key',
    approve: 'Make a key for it',
    refuse: 'Refuse',
    answers: { approved: 'It has its key', refused: 'It was refused' },
    closeTab: 'You can close this tab.',
  },

  keys: {
    create: 'Create key',
    none: 'There is no key that you may see',
    noneSaid: 'A key lets a client in as a role, as far as its limits go, until it ends.',
    columns: ['Name', 'Role', 'Limits', 'Ends', 'Last used'],
    noLimits: 'all that the role may',
    noEnd: 'never',
    never: 'never',
    expired: 'expired',
    overlaps: 'old key still good',
    readOnly: 'read only',
    changes: { rotate: 'Rotate', expire: 'Expire now', drop: 'Revoke' },
    changeTitles: {
      rotate: (name: string) => `Rotate ${name}`,
      expire: (name: string) => `Expire ${name} now`,
      drop: (name: string) => `Revoke ${name}`,
    },
    ends: 'Its sessions end at once, with what they are running; what they have not committed is rolled back.',
    overlap: 'The old key stays good for',
    overlapHelp: 'An interval, as 1 hour; empty: it ends at once.',
    made: (name: string) => `The key ${name}`,
    once: 'It is shown this once. Only hashes of it are kept: copy it to where it is needed.',
    copyKey: 'Copy the key',
    kept: 'I have copied it',
    lines: 'Lines to paste',
    fields: {
      name: 'Name',
      role: 'Role',
      readOnly: 'Read only',
      expires: 'Ends after',
      collections: 'Only these collections',
      datasets: 'Only these datasets',
      partitions: 'Only these partitions',
      addresses: 'Only from these networks',
      attributes: 'Attributes for row rules',
    },
    help: {
      name: 'Empty: it is called by its first characters.',
      expires: 'An interval, as 90 days, or a time; empty: never.',
      collections: 'With commas: films, sales.orders',
      datasets: 'With commas: filings, contracts',
      partitions: 'With commas: acme, globex',
      addresses: 'With commas: 10.0.0.0/8, 192.0.2.7',
      attributes: 'A line each: tenant = acme. Policies read them by quern.key_attribute().',
    },
  },

  query: QUERY_WORDS,

  source: SOURCE_WORDS,

  datasets: DATASET_WORDS,

  document: DOCUMENT_WORDS,

  ask: ASK_WORDS,

  research: RESEARCH_WORDS,

  collections: COLLECTION_WORDS,

  bench: BENCH_WORDS,

  components: { title: 'Components' },
} as const;
