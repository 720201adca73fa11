/**
 * Names within addresses of pages, whatever is in them. One thing to know: browsers take `.` and `..` between slashes for steps,
 * also when they are encoded, so such a name, and an empty one, has `~` before it.
 */
import { useLocation } from 'react-router';

const STEP = /^~*\.{0,2}$/;

export const pathPart = (name: string): string => encodeURIComponent(STEP.test(name) ? `~${name}` : name);

export const pathOf = (...names: readonly string[]): string => `/${names.map(pathPart).join('/')}`;

/** @param part as it stands in an address that somebody may have written */
export function nameOfPart(part: string): string {
  const name = decoded(part);
  return name.startsWith('~') && STEP.test(name) ? name.slice(1) : name;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Names of the page's address. The router's own parameters take `%252F` for a slash. */
export const usePath = (): readonly string[] => useLocation().pathname.split('/').slice(1).map(nameOfPart);
