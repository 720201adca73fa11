/** Rights that a statement needs: found out when it is bound, checked each time that it begins. */
import type { ObjectKind, Privileges } from '../catalog/access/privileges.ts';

export interface Right {
  readonly kind: ObjectKind;
  readonly oid: number;
  /** All of them; of one that asks for the owner, none. */
  readonly privileges: Privileges;
  /** Attribute numbers: a privilege on each of them is as good as one on the whole. Empty: on any. */
  readonly columns?: readonly number[];
  /** The role that is asked for, a view's or a function's owner; null: whoever runs the statement. */
  readonly as: number | null;
  /** `owner`: whoever owns it; `superuser`: what no grant gives. Absent: the privileges. */
  readonly needs?: 'owner' | 'superuser';
  /** A schema whose owner will do, too: of what is dropped. */
  readonly orOwnerOf?: number;
  /** Its name in the error, `index films_pkey`; absent: that of its kind. */
  readonly called?: string;
}
