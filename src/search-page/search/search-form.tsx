/** Search box and options: matching strategy, sort, filter, location, semantic ratio. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { GeoCircle, SearchState } from './search-state.ts';

/** Options of the form, from the index's settings. */
export interface SearchSettings {
  readonly filterableAttributes: readonly unknown[];
  readonly sortableAttributes: readonly string[];
  readonly embedders?: Readonly<Record<string, unknown>> | null;
}

interface SearchFormProps {
  readonly state: SearchState;
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
  return (
    <search class="search-form">
      <SearchBox text={state.q} onChange={(q) => onChange({ q })} />
      <div class="options">
        <Choice
          label="Matching"
          value={state.matchingStrategy}
          options={STRATEGIES}
          onChange={(matchingStrategy) => onChange({ matchingStrategy })}
        />
        <Choice
          label="Sort"
          value={state.sort}
          options={ordersOf(settings?.sortableAttributes ?? [], state.geo)}
          onChange={(sort) => onChange({ sort })}
        />
        <label>
          Filter{' '}
          <input
            value={state.filter}
            placeholder="year > 1999 AND …"
            onInput={(event) => onChange({ filter: event.currentTarget.value })}
          />
        </label>
        {hasPlaces && <GeoForm geo={state.geo} onChange={(geo) => onChange({ geo })} />}
        {embedders.length > 0 && (
          <MeaningForm state={state} embedders={embedders} onChange={onChange} />
        )}
      </div>
    </search>
  );
}

interface SearchBoxProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** `/` anywhere on the page focuses the search box. */
function SearchBox({ text, onChange }: SearchBoxProps) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
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
    <input
      ref={box}
      type="search"
      aria-label="Search"
      placeholder="Search (press / to come here)"
      autocomplete="off"
      spellcheck={false}
      value={text}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [string, string])[];
  readonly onChange: (value: string) => void;
}

const Choice = ({ label, value, options, onChange }: ChoiceProps) => (
  <label>
    {label}{' '}
    <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  </label>
);

function ordersOf(
  sortable: readonly string[],
  geo: GeoCircle | null,
): readonly (readonly [string, string])[] {
  const ofField = (field: string): (readonly [string, string])[] => {
    if (field !== '_geo')
      return [
        [`${field}:asc`, `${field}, lowest first`],
        [`${field}:desc`, `${field}, highest first`],
      ];
    return geo === null ? [] : [[`_geoPoint(${geo.lat}, ${geo.lng}):asc`, 'nearest first']];
  };
  return [['', 'by relevance'], ...sortable.flatMap(ofField)];
}

interface GeoFormProps {
  readonly geo: GeoCircle | null;
  readonly onChange: (geo: GeoCircle | null) => void;
}

const EARTH_CIRCUMFERENCE_KM = 40_075;
const RADIUS_KM_DEFAULT = 50;

/** The circle applies when all three numbers are filled in. */
function GeoForm({ geo, onChange }: GeoFormProps) {
  const [texts, setTexts] = useState({
    lat: geo === null ? '' : String(geo.lat),
    lng: geo === null ? '' : String(geo.lng),
    km: geo === null ? String(RADIUS_KM_DEFAULT) : String(geo.radiusMeters / 1000),
  });
  const set = (next: Partial<typeof texts>) => {
    const all = { ...texts, ...next };
    setTexts(all);
    const isWhole = [all.lat, all.lng, all.km].every(
      (text) => text.trim() !== '' && Number.isFinite(Number(text)),
    );
    onChange(
      isWhole
        ? { lat: Number(all.lat), lng: Number(all.lng), radiusMeters: Number(all.km) * 1000 }
        : null,
    );
  };
  const number = (name: keyof typeof texts, label: string, min: number, max: number) => (
    <label>
      {label}{' '}
      <input
        type="number"
        step="any"
        min={min}
        max={max}
        value={texts[name]}
        onInput={(event) => set({ [name]: event.currentTarget.value })}
      />
    </label>
  );
  return (
    <fieldset class="geo">
      <legend>Within a radius</legend>
      {number('lat', 'Latitude', -90, 90)}
      {number('lng', 'Longitude', -180, 180)}
      {number('km', 'Kilometres', 0, EARTH_CIRCUMFERENCE_KM)}
    </fieldset>
  );
}

interface MeaningFormProps {
  readonly state: SearchState;
  readonly embedders: readonly string[];
  readonly onChange: (next: Partial<SearchState>) => void;
}

const MeaningForm = ({ state, embedders, onChange }: MeaningFormProps) => (
  <fieldset class="meaning">
    <legend>Semantic search</legend>
    <Choice
      label="Embedder"
      value={state.embedder}
      options={[
        ['', 'none: keyword search only'],
        ...embedders.map((name) => [name, name] as const),
      ]}
      onChange={(embedder) => onChange({ embedder })}
    />
    {state.embedder !== '' && (
      <label>
        words{' '}
        <input
          type="range"
          min={0}
          max={1}
          step={0.05}
          value={state.semanticRatio}
          aria-label="Semantic ratio"
          onInput={(event) => onChange({ semanticRatio: Number(event.currentTarget.value) })}
        />{' '}
        meaning ({Math.round(state.semanticRatio * 100)} %)
      </label>
    )}
  </fieldset>
);
