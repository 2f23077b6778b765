/** The hits, which the arrow keys move through. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type Hit, HitCard, type HitCardProps } from './hit-card.tsx';

interface HitListProps extends Omit<HitCardProps, 'hit' | 'editHref'> {
  readonly hits: readonly Hit[];
  readonly editHrefOf: (hit: Hit) => string | null;
}

export function HitList({ hits, editHrefOf, ...shared }: HitListProps) {
  const list = useRef<HTMLOListElement>(null);
  useLayoutEffect(() => moveWithArrows(list.current), []);
  const { primaryKey } = shared.fields;
  const idOf = (hit: Hit, place: number) =>
    primaryKey === null ? place : String(hit[primaryKey] ?? place);
  return (
    <ol class="hits plain stack" ref={list}>
      {hits.map((hit, place) => (
        <HitCard key={idOf(hit, place)} {...shared} hit={hit} editHref={editHrefOf(hit)} />
      ))}
    </ol>
  );
}

const SEARCH_BOX = '.search-box input';

/**
 * Arrow keys move the focus between hits and from the search box to the hits; from the first hit,
 * and with Escape, back to the search box. @returns removes the listener
 */
function moveWithArrows(list: HTMLOListElement | null): (() => void) | undefined {
  if (list === null) return undefined;
  const box = () => document.querySelector<HTMLElement>(SEARCH_BOX);
  const targetOf = (key: string, from: Element | null): Element | null | undefined => {
    const items = [...list.children];
    const place = from === null ? -1 : items.indexOf(from);
    if (key === 'ArrowDown') return items[place + 1];
    if (from === null) return undefined;
    if (key === 'ArrowUp') return place === 0 ? box() : items[place - 1];
    return key === 'Escape' ? box() : undefined;
  };
  const move = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    const from = target.closest('.hit');
    if (from === null && !target.matches(SEARCH_BOX)) return;
    const next = targetOf(event.key, from);
    if (!(next instanceof HTMLElement)) return;
    event.preventDefault();
    if (next.matches('.hit')) next.tabIndex = -1;
    next.focus();
  };
  addEventListener('keydown', move);
  return () => removeEventListener('keydown', move);
}
