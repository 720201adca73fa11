/** Languages of functions, with PostgreSQL's OIDs. */
export const LANGUAGES: readonly {
  readonly oid: number;
  readonly name: string;
  /** Everybody may write functions in it. */
  readonly isTrusted: boolean;
}[] = [
  { oid: 12, name: 'internal', isTrusted: false },
  { oid: 13, name: 'c', isTrusted: false },
  { oid: 14, name: 'sql', isTrusted: true },
];
