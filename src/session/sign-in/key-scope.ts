/**
 * Limits of a key, beside the rights of its role: never more than these, whoever the session acts as. A name
 * is as SQL prints it without its schema `public`: `books`, `sales.orders`.
 */
export interface KeyScope {
  /** Collections and tables; null: no limit by them. */
  readonly collections: readonly string[] | null;
  /** Names of partitions; a collection as a whole is out of reach then. */
  readonly partitions: readonly string[] | null;
  readonly datasets: readonly string[] | null;
  readonly readOnly: boolean;
  /** Option `outside = off`: it sends no text to an endpoint, whatever its role may. */
  readonly staysHere: boolean;
  /** Networks in CIDR's notation that it may come from. */
  readonly addresses: readonly string[] | null;
  /** For policies, by `quern.key_attribute()`. */
  readonly attributes: Readonly<Record<string, string>>;
}

export const NO_SCOPE: KeyScope = {
  collections: null,
  partitions: null,
  datasets: null,
  readOnly: false,
  staysHere: false,
  addresses: null,
  attributes: {},
};

/** It limits which rows there are: what reaches beyond rows (definitions, notifications) is refused. */
export const limitsRows = ({ collections, partitions, datasets, attributes }: KeyScope): boolean =>
  collections !== null || partitions !== null || datasets !== null || Object.keys(attributes).length > 0;

/** Null: all. A key for collections or partitions reaches the datasets that it names. */
export const datasetsReached = ({ collections, partitions, datasets }: KeyScope): readonly string[] | null =>
  datasets ?? (collections === null && partitions === null ? null : []);

/** A session of the key does nothing else than one without, once it is there. */
export const isUnlimited = (scope: KeyScope): boolean =>
  !limitsRows(scope) && !scope.readOnly && !scope.staysHere && scope.addresses === null;
