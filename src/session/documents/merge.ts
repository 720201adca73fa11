/**
 * Structs merged deeply, as RFC 7396 (JSON Merge Patch) has it: null takes a member away, all else that is no struct
 * is put in its place as a whole. A tagged value is no struct.
 */
import { canonicalJsonb } from '../../types/json/canonical.ts';
import { isStruct } from '../../types/json/tagged.ts';
import { jsonKind, jsonMembers } from '../../types/json/text.ts';

/** @param stored canonical jsonb; null for none. @returns canonical jsonb. */
export function mergedStruct(stored: string | null, patch: string): string {
  return isStruct(patch) ? canonicalJsonb(merged(stored, patch)) : patch;
}

function merged(stored: string | null, patch: string): string {
  const members = new Map<string, string>();
  if (stored !== null && isStruct(stored)) {
    for (const { key, text } of jsonMembers(stored)) members.set(key, text);
  }
  for (const { key, text } of jsonMembers(patch)) {
    if (jsonKind(text) === 'null') members.delete(key);
    else members.set(key, isStruct(text) ? merged(members.get(key) ?? null, text) : text);
  }
  return `{${[...members].map(([key, text]) => `${JSON.stringify(key)}: ${text}`).join(', ')}}`;
}
