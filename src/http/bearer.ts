/** Keys that requests bring: `Authorization: Bearer KEY`. */
import { Refusal } from './refusal.ts';

/** @param hint for who brings none. @throws Refusal 401. */
export function bearerKey(authorization: string | undefined, hint: string | null = null): string {
  const [, key] = /^Bearer (\S+)$/i.exec(authorization ?? '') ?? [];
  if (key === undefined) throw new Refusal(401, 'a key is needed: Authorization: Bearer KEY', hint);
  return key;
}
