/** Instant search over the chosen index: every keystroke sends a request and updates the URL. */

import { useEffect, useRef } from 'preact/hooks';
import { counted } from '../../core/counted.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { useRequest } from '../parts/use-request.ts';
import type { ViewProps } from '../view.ts';
import { FacetList } from './facet-list.tsx';
import { type Hit, HitCard } from './hit-card.tsx';
import { RangeFacet } from './range-facet.tsx';
import { SearchForm, type SearchSettings } from './search-form.tsx';
import {
  addressStateOf,
  HITS_STEP,
  queriesOf,
  type SearchState,
  searchStateOf,
  type ValueRange,
  withToggled,
} from './search-state.ts';

const WHOLE_RANGE: ValueRange = { from: null, to: null };

interface SearchAnswer {
  readonly hits: readonly Hit[];
  readonly estimatedTotalHits: number;
  readonly semanticHitCount?: number;
  readonly processingTimeMs: number;
  readonly facetStats?: Readonly<Record<string, { readonly min: number; readonly max: number }>>;
  readonly facetDistribution?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export function SearchView(props: ViewProps) {
  const { index, indexes } = props;
  if (index !== null) return <SearchOfIndex key={index} {...props} index={index} />;
  if (indexes.answer === null) return <p aria-busy="true">Loading indexes …</p>;
  return (
    <section class="empty">
      <h1>Nothing to search yet</h1>
      <p>
        Drop a file with documents on <a href="#/indexes">Indexes</a>: JSON, NDJSON or CSV.
      </p>
    </section>
  );
}

function SearchOfIndex({
  api,
  port,
  index,
  indexes,
}: ViewProps & { readonly index: string }): preact.JSX.Element {
  const state = searchStateOf(port.address.state);
  const change = (next: Partial<SearchState>) =>
    port.stay(addressStateOf({ ...state, hits: HITS_STEP, ...next }));
  const settings = useRequest<SearchSettings>(
    (signal) => api.request('GET', `indexes/${encodeURIComponent(index)}/settings`, { signal }),
    [index],
  );
  const hasFacets = (settings.answer?.filterableAttributes.length ?? 0) > 0;
  const search = useRequest<{ readonly results: readonly SearchAnswer[] }>(
    (signal) =>
      api.request('POST', 'multi-search', {
        body: { queries: queriesOf(index, state, hasFacets) },
        signal,
      }),
    [index, JSON.stringify(state), hasFacets],
  );
  const [found, ...counts] = search.answer?.results ?? [];
  const primaryKey = indexes.answer?.results.find(({ uid }) => uid === index)?.primaryKey ?? null;
  const facets = Object.assign(
    {},
    found?.facetDistribution,
    ...counts.map(({ facetDistribution }) => facetDistribution),
  ) as NonNullable<SearchAnswer['facetDistribution']>;
  return (
    <div class="search">
      <h1 class="hidden">Search {index}</h1>
      <SearchForm state={state} settings={settings.answer} onChange={change} />
      <FailureNote failure={search.failure} />
      <aside aria-label="Filters by value">
        {Object.entries(facets).map(([field, values]) => {
          const numbers = found?.facetStats?.[field];
          return numbers === undefined ? (
            <FacetList
              key={field}
              field={field}
              counts={values}
              chosen={state.chosen[field] ?? []}
              onToggle={(value) => change(withToggled(state, field, value))}
            />
          ) : (
            <RangeFacet
              key={field}
              field={field}
              {...numbers}
              range={state.ranges[field] ?? WHOLE_RANGE}
              onChange={(range) => change({ ranges: { ...state.ranges, [field]: range } })}
            />
          );
        })}
      </aside>
      {found !== undefined && (
        <Hits found={found} primaryKey={primaryKey} state={state} onChange={change} />
      )}
    </div>
  );
}

interface HitsProps {
  readonly found: SearchAnswer;
  readonly primaryKey: string | null;
  readonly state: SearchState;
  readonly onChange: (next: Partial<SearchState>) => void;
}

function Hits({ found, primaryKey, state, onChange }: HitsProps) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => moveWithArrows(list.current), []);
  const { hits, estimatedTotalHits: total, semanticHitCount, processingTimeMs } = found;
  const idOf = (hit: Hit, place: number) =>
    primaryKey === null ? place : String(hit[primaryKey] ?? place);
  return (
    <section aria-label="Hits">
      <p class="total" role="status">
        {counted(total, 'hit')} in {processingTimeMs} ms
        {semanticHitCount !== undefined &&
          `, ${semanticHitCount} of the shown hits by semantic search`}
      </p>
      <ol class="hits" ref={list}>
        {hits.map((hit, place) => (
          <HitCard key={idOf(hit, place)} hit={hit} primaryKey={primaryKey} />
        ))}
      </ol>
      {hits.length === state.hits && hits.length < total && (
        <button type="button" onClick={() => onChange({ hits: state.hits + HITS_STEP })}>
          Load more hits
        </button>
      )}
    </section>
  );
}

/**
 * Arrow keys move the focus between hits and from the search box to the hits. @returns removes the
 * listener
 */
function moveWithArrows(list: HTMLOListElement | null): (() => void) | undefined {
  if (list === null) return undefined;
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const target = event.target as HTMLElement;
    const isInBox = target.matches('input[type="search"]');
    const from = target.closest('.hit');
    if (step === undefined || (from === null && !isInBox)) return;
    const items = [...list.children];
    const next = items[from === null ? 0 : items.indexOf(from) + step];
    if (!(next instanceof HTMLElement)) return;
    event.preventDefault();
    next.tabIndex = -1;
    next.focus();
  };
  addEventListener('keydown', move);
  return () => removeEventListener('keydown', move);
}
