/** Which place of an answer is looked at: it is in the address, `?fact=2&quote=1`; keys 1 to 9 go to the badges. */
import { useCallback, useEffect, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { areSinglesOn } from '../../shell/kept.ts';
import { type AnswerView, type Badge, badgesOf, type Citation } from './model.ts';

export interface Badges {
  readonly all: readonly Badge[];
  readonly active: Badge | null;
  /** The one of the active badge. */
  readonly citation: Citation | null;
  readonly choose: (badge: Badge) => void;
  readonly chooseCitation: (citation: Citation) => void;
  readonly close: () => void;
}

/** On a small screen the source is a page of its own, which one opens. */
const hasRoom = (): boolean => matchMedia('(min-width: 901px)').matches;

export function useBadges({ facts }: AnswerView): Badges {
  const [search, setSearch] = useSearchParams();
  const all = useMemo(() => badgesOf(facts), [facts]);
  const fact = Number(search.get('fact'));
  const quote = Number(search.get('quote'));
  const ofFact = all.filter((badge) => badge.fact === fact);
  const hasPlaces = (badge: Badge | undefined): badge is Badge =>
    badge?.main[0]?.doc_id !== undefined && badge.main[0].doc_id !== '';
  const isClosed = search.get('source') === 'none';
  const chosen =
    ofFact.find(({ citations }) => citations.some(({ citation_number: number }) => number === quote)) ??
    ofFact[0] ??
    (fact === 0 && !isClosed && hasRoom() ? all[0] : undefined);
  const active = hasPlaces(chosen) ? chosen : null;
  const citation =
    active?.citations.find(({ citation_number: number }) => number === quote) ?? active?.main[0] ?? null;
  const chooseCitation = useCallback(
    ({ fact_number, citation_number }: Citation) =>
      setSearch({ fact: String(fact_number), quote: String(citation_number) }, { replace: true }),
    [setSearch],
  );
  const choose = useCallback(
    ({ main: [first] }: Badge) => {
      if (first !== undefined) chooseCitation(first);
    },
    [chooseCitation],
  );
  const close = useCallback(() => setSearch({ source: 'none' }, { replace: true }), [setSearch]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || !areSinglesOn()) return;
      if ((event.target as Element).closest('input, textarea, [contenteditable], [role=dialog]')) return;
      const badge = all.find(({ number }) => String(number) === event.key);
      if (badge === undefined) return;
      choose(badge);
      event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [all, choose]);
  return { all, active, citation, choose, chooseCitation, close };
}
