/** A time: how long ago, and exactly, with its zone, on hover. */
import { relative } from './format.ts';
import { Tip } from './tip.tsx';

/** @param at as SQL writes a timestamptz, or ISO 8601; null: a dash. */
export function When({ at }: { readonly at: string | null }) {
  if (at === null) return <span className="quiet">–</span>;
  const date = new Date(at.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));
  if (Number.isNaN(date.getTime())) return <span className="number">{at}</span>;
  const exact = date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' });
  return (
    <Tip text={exact}>
      <time dateTime={date.toISOString()}>{relative(date.getTime(), Date.now())}</time>
    </Tip>
  );
}
