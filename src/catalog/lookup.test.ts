/** Lookup along the search path, and suggestions for names that are nearly right. */
import { describe, expect, it } from 'vitest';
import { applyEdit, emptyCatalog } from './edit/edit.ts';
import { findRelation } from './lookup.ts';
import type { Relation } from './model.ts';
import { NAMESPACE_OID } from './oids.ts';

const relation = (name: string, namespace: number): Relation => ({
  oid: 0,
  namespace,
  name,
  kind: 'table',
  columns: [],
  indexes: [],
  constraints: [],
  definition: null,
});

describe('findRelation', () => {
  const catalog = [relation('t', NAMESPACE_OID.public), relation('t', 16_384), relation('u', 16_384)].reduce(
    (before, created) => applyEdit(before, { edit: 'create relation', relation: created }),
    applyEdit(emptyCatalog(), { edit: 'create namespace', name: 's' }),
  );

  it('takes the first schema of the path that has the name', () => {
    expect(findRelation(catalog, null, 't', ['s', 'public'])?.namespace).toBe(16_384);
    expect(findRelation(catalog, null, 't', ['"$user"', 'public'])?.namespace).toBe(NAMESPACE_OID.public);
    expect(findRelation(catalog, null, 'u', ['public'])).toBeUndefined();
    expect(findRelation(catalog, 's', 'u', ['public'])?.name).toBe('u');
    expect(findRelation(catalog, 'nowhere', 'u', ['s'])).toBeUndefined();
  });
});
