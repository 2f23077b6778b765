/** Search box, order and further options: matching strategy, filter expression, place. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Settings } from '../../model/settings.ts';
import { Select } from '../parts/select.tsx';
import { TextField } from '../parts/text-field.tsx';
import type { LatLng } from './distance.ts';
import { GeoForm } from './geo-form.tsx';
import type { GeoCircle, SearchState } from './search-state.ts';

/** Options of the form, from the index's settings. */
export type SearchSettings = Pick<
  Settings,
  | 'displayedAttributes'
  | 'searchableAttributes'
  | 'filterableAttributes'
  | 'sortableAttributes'
  | 'embedders'
>;

interface SearchFormProps {
  readonly state: SearchState;
  /** null before they are read, and without the right to read them. */
  readonly settings: SearchSettings | null;
  readonly onChange: (next: Partial<SearchState>) => void;
}

const STRATEGIES: readonly (readonly [string, string])[] = [
  ['', "the index's default"],
  ['last', 'all words, then drop words from the end'],
  ['all', 'all words'],
  ['frequency', 'all words, then drop the most frequent'],
  ['any', 'any word, by relevance'],
];

export function SearchForm({ state, settings, onChange }: SearchFormProps) {
  const embedders = Object.keys(settings?.embedders ?? {});
  const hasPlaces = JSON.stringify(settings?.filterableAttributes ?? []).includes('"_geo"');
  const isSet = state.matchingStrategy !== '' || state.filter !== '' || state.geo !== null;
  return (
    <search class="search-form">
      <SearchBox text={state.q} onChange={(q) => onChange({ q })} />
      {embedders.length > 0 && (
        <MeaningForm state={state} embedders={embedders} onChange={onChange} />
      )}
      <details class="options" open={isSet}>
        <summary>Options</summary>
        <div class="row">
          <Select
            label="Matching"
            class="text"
            value={state.matchingStrategy}
            options={STRATEGIES}
            onChange={(matchingStrategy) => onChange({ matchingStrategy })}
          />
          <TextField
            label="Filter"
            class="filter"
            value={state.filter}
            placeholder="year > 1999 AND …"
            onChange={(filter) => onChange({ filter })}
          />
          {hasPlaces && <GeoForm geo={state.geo} onChange={(geo) => onChange({ geo })} />}
        </div>
      </details>
    </search>
  );
}

interface SearchBoxProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** `/` anywhere on the page focuses the search box, Escape clears it. */
function SearchBox({ text, onChange }: SearchBoxProps) {
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    box.current?.focus();
    const jump = (event: KeyboardEvent) => {
      if (event.key !== '/' || (event.target as HTMLElement).matches('input, select, textarea'))
        return;
      event.preventDefault();
      box.current?.focus();
    };
    addEventListener('keydown', jump);
    return () => removeEventListener('keydown', jump);
  }, []);
  return (
    <div class="search-box">
      <input
        ref={box}
        type="search"
        dir="auto"
        aria-label="Search"
        placeholder="Search …"
        autocomplete="off"
        autocapitalize="off"
        enterkeyhint="search"
        spellcheck={false}
        value={text}
        onInput={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || text === '') return;
          event.preventDefault();
          onChange('');
        }}
      />
      <span class="shortcut" aria-hidden="true">
        /
      </span>
    </div>
  );
}

export function ordersOf(
  sortable: readonly string[],
  geo: GeoCircle | null,
): readonly (readonly [string, string])[] {
  const ofField = (field: string): (readonly [string, string])[] => {
    if (field !== '_geo')
      return [
        [`${field}:asc`, `${field}, lowest first`],
        [`${field}:desc`, `${field}, highest first`],
      ];
    return geo === null ? [] : [[nearestFirst(geo), 'nearest first']];
  };
  return [['', 'Relevance'], ...sortable.flatMap(ofField)];
}

export const nearestFirst = ({ lat, lng }: LatLng): string => `_geoPoint(${lat}, ${lng}):asc`;

interface MeaningFormProps {
  readonly state: SearchState;
  readonly embedders: readonly string[];
  readonly onChange: (next: Partial<SearchState>) => void;
}

/** Without a chosen embedder the search uses keywords alone. */
const MeaningForm = ({ state, embedders, onChange }: MeaningFormProps) => (
  <div class="meaning row">
    <Select
      label="Semantic search"
      value={state.embedder}
      options={[['', 'off'], ...embedders.map((name) => [name, name] as const)]}
      onChange={(embedder) => onChange({ embedder })}
    />
    {state.embedder !== '' && (
      <label class="ratio">
        <span>Keywords</span>
        <input
          type="range"
          min={0}
          max={1}
          step={0.05}
          value={state.semanticRatio}
          aria-label="Semantic ratio"
          onInput={(event) => onChange({ semanticRatio: event.currentTarget.valueAsNumber })}
        />
        <span>Meaning {Math.round(state.semanticRatio * 100)} %</span>
      </label>
    )}
  </div>
);
