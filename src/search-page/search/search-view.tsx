/** Instant search over the chosen index: every keystroke sends a request and updates the URL. */

import { useState } from 'preact/hooks';
import { ApiFailure, api } from '../api-client.ts';
import { fragmentOf } from '../page-address.ts';
import { Button } from '../parts/button.tsx';
import { CheckBox } from '../parts/check-box.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { humanCount } from '../parts/human.ts';
import { Select } from '../parts/select.tsx';
import { useNarrow } from '../parts/use-narrow.ts';
import { useGet, usePost } from '../parts/use-request.ts';
import type { IndexViewProps } from '../view.ts';
import { CopyCode } from './copy-code.tsx';
import type { LatLng } from './distance.ts';
import {
  ActiveFilters,
  FacetColumn,
  type FacetCounts,
  FacetSheet,
  type FacetsProps,
} from './facets.tsx';
import type { Hit } from './hit-card.tsx';
import { imageUrlOf } from './hit-fields.ts';
import { allowImages, areImagesAllowed } from './hit-image.tsx';
import { HitList } from './hit-list.tsx';
import { nearestFirst, ordersOf, SearchForm, type SearchSettings } from './search-form.tsx';
import {
  activeFilters,
  addressStateOf,
  HITS_STEP,
  plainQueryOf,
  queriesOf,
  type SearchState,
  searchStateOf,
} from './search-state.ts';

interface SearchAnswer extends FacetCounts {
  readonly hits: readonly Hit[];
  readonly estimatedTotalHits: number;
  readonly semanticHitCount?: number;
  readonly processingTimeMs: number;
}

/** The settings of the index, null before they are read and without the right to read them. */
function useSettings({ index, isSearchOnly }: IndexViewProps): SearchSettings | null {
  const path = `indexes/${encodeURIComponent(index)}/settings`;
  return useGet<SearchSettings>(isSearchOnly ? null : path).answer;
}

function useSearch({ index, isSearchOnly }: IndexViewProps, state: SearchState, has: boolean) {
  // A key without the right to read settings does not learn whether there are facets.
  const [isRefused, setRefused] = useState(false);
  const hasFacets = isSearchOnly ? !isRefused : has;
  const search = usePost<{ readonly results: readonly SearchAnswer[] }>('multi-search', {
    queries: queriesOf(index, state, hasFacets),
  });
  if (isSearchOnly && hasFacets && search.failure?.code === 'invalid_search_facets')
    setRefused(true);
  return { search, hasFacets };
}

/** Users do not see that their search is one of several in a request. */
const withoutPlace = ({ status, code, message }: ApiFailure): ApiFailure =>
  new ApiFailure(status, code, message.replace(/^Inside `\.queries\[\d+\]`: /, ''));

export function SearchView(props: IndexViewProps) {
  const { port, index } = props;
  const state = searchStateOf(port.address.state);
  const show = (next: SearchState) => port.stay(addressStateOf(next));
  const set = (next: SearchState) => show({ ...next, hits: HITS_STEP });
  const settings = useSettings(props);
  const { search, hasFacets } = useSearch(
    props,
    state,
    (settings?.filterableAttributes.length ?? 0) > 0,
  );
  const counts = search.answer?.results ?? [];
  const [found] = counts;
  const isNarrow = useNarrow();
  const order = settings?.filterableAttributes ?? [];
  const facets = { index, state, order, counts, onChange: set };
  return (
    <div class="search">
      <h1 class="hidden">Search {index}</h1>
      <SearchForm
        state={state}
        settings={settings}
        onChange={(next) => set({ ...state, ...next })}
      />
      <FailureNote failure={search.failure && withoutPlace(search.failure)} />
      {found !== undefined && (
        <Found
          {...props}
          found={found}
          state={state}
          settings={settings}
          hasFacets={hasFacets}
          facets={isNarrow ? facets : null}
          onChange={set}
          onMore={() => show({ ...state, hits: state.hits + HITS_STEP })}
        />
      )}
      {!isNarrow && <FacetColumn {...facets} />}
    </div>
  );
}

interface FoundProps extends IndexViewProps {
  readonly found: SearchAnswer;
  readonly state: SearchState;
  readonly settings: SearchSettings | null;
  readonly hasFacets: boolean;
  /** For the sheet of narrow screens; null on others. */
  readonly facets: FacetsProps | null;
  readonly onChange: (state: SearchState) => void;
  /** Shows further hits. */
  readonly onMore: () => void;
}

function Found(props: FoundProps) {
  const { found, state, settings, index, primaryKey, isSearchOnly, onChange } = props;
  const [areImagesShown, setImages] = useState(() => areImagesAllowed(index));
  const fields = {
    primaryKey,
    displayed: settings?.displayedAttributes ?? ['*'],
    searchable: settings?.searchableAttributes ?? ['*'],
  };
  const sortable = settings?.sortableAttributes ?? [];
  const editHrefOf = (hit: Hit): string | null => {
    const id = primaryKey === null ? undefined : hit[primaryKey];
    if (isSearchOnly || id === undefined) return null;
    return fragmentOf({ view: 'documents', index, state: { id: String(id) } });
  };
  const showNear = (place: LatLng) =>
    onChange({ ...state, geo: { ...place, radiusMeters: null }, sort: nearestFirst(place) });
  return (
    <section class="found" aria-label="Hits">
      <Toolbar
        {...props}
        areImagesShown={areImagesShown}
        onImages={(isShown) => {
          allowImages(index, isShown);
          setImages(isShown);
        }}
      />
      <ActiveFilters state={state} onChange={onChange} />
      {found.hits.length === 0 && <NothingFound state={state} />}
      <HitList
        hits={found.hits}
        fields={fields}
        areImagesShown={areImagesShown}
        near={state.geo}
        editHrefOf={editHrefOf}
        onNear={sortable.includes('_geo') ? showNear : null}
      />
      {found.hits.length === state.hits && found.hits.length < found.estimatedTotalHits && (
        <Button text="Load more hits" class="quiet" onClick={props.onMore} />
      )}
    </section>
  );
}

function NothingFound({ state }: { readonly state: SearchState }) {
  const isFiltered = activeFilters(state).length > 0;
  const all = isFiltered ? 'No document matches the filters.' : 'The index has no documents.';
  return (
    <div class="empty">
      <h2>No hits</h2>
      <p>{state.q === '' ? all : 'Try fewer or other words, or remove filters.'}</p>
    </div>
  );
}

interface ToolbarProps extends FoundProps {
  readonly areImagesShown: boolean;
  readonly onImages: (isShown: boolean) => void;
}

function Toolbar(props: ToolbarProps) {
  const { index, found, state, settings, hasFacets, facets, onChange } = props;
  const orders = ordersOf(settings?.sortableAttributes ?? [], state.geo);
  return (
    <div class="toolbar row">
      <p class="total" role="status">
        <strong>{humanCount(found.estimatedTotalHits)}</strong>{' '}
        {found.estimatedTotalHits === 1 ? 'hit' : 'hits'} in {found.processingTimeMs} ms
        {found.semanticHitCount !== undefined &&
          `, ${found.semanticHitCount} of the shown hits by semantic search`}
      </p>
      <CopyCode
        url={serverUrl()}
        index={index}
        body={plainQueryOf(state, hasFacets)}
        needsKey={api.key !== ''}
      />
      {facets !== null && <FacetSheet {...facets} total={found.estimatedTotalHits} />}
      {orders.length > 1 && (
        <Select
          label="Sort"
          value={state.sort}
          options={orders}
          onChange={(sort) => onChange({ ...state, sort })}
        />
      )}
      <ImageToggle {...props} />
    </div>
  );
}

/** The page may be behind a proxy that adds a path. */
const serverUrl = (): string => new URL('.', location.href).href.replace(/\/$/, '');

/** Only where a document has an image of another server. */
function ImageToggle({ found, areImagesShown, onImages }: ToolbarProps) {
  const isRemote = (hit: Hit) =>
    Object.entries(hit).some((field) => imageUrlOf(field)?.startsWith('https:') === true);
  if (!areImagesShown && !found.hits.some(isRemote)) return null;
  return (
    <div class="images">
      <CheckBox
        isOn={areImagesShown}
        onChange={onImages}
        about="Images come from the servers that the documents name. These servers see who loads them."
      >
        Images
      </CheckBox>
    </div>
  );
}
