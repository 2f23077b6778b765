/** Values of a facet, most frequent first, as check boxes: search within, and more. */
import { useState } from 'preact/hooks';
import { CheckBox } from '../parts/check-box.tsx';
import { humanCount } from '../parts/human.ts';
import { usePost } from '../parts/use-request.ts';
import { facetQueryOf, type SearchState } from './search-state.ts';

type ValueCount = readonly [value: string, count: number];

interface FacetListProps {
  readonly index: string;
  readonly field: string;
  /** Number of documents by value. */
  readonly counts: Readonly<Record<string, number>>;
  readonly state: SearchState;
  readonly onToggle: (value: string) => void;
}

const VALUES_SHOWN = 8;

export function FacetList({ index, field, counts, state, onToggle }: FacetListProps) {
  const [text, setText] = useState('');
  const [isLong, setLong] = useState(false);
  const wanted = text.trim();
  const found = usePost<{ readonly facetHits: readonly { value: string; count: number }[] }>(
    wanted === '' ? null : `indexes/${encodeURIComponent(index)}/facet-search`,
    { facetName: field, facetQuery: wanted, ...facetQueryOf(state, field) },
  );
  const chosen = state.chosen[field] ?? [];
  const byCount = Object.entries(counts).sort(([, left], [, right]) => right - left);
  const values: readonly ValueCount[] =
    wanted === ''
      ? withChosen(byCount, chosen, isLong ? byCount.length : VALUES_SHOWN)
      : (found.answer?.facetHits ?? []).map(({ value, count }) => [value, count]);
  const rest = byCount.length - VALUES_SHOWN;
  return (
    <fieldset class="facet" data-field={field}>
      <legend>{field}</legend>
      {rest > 0 && (
        <input
          type="search"
          class="within"
          aria-label={`Search in ${field}`}
          placeholder={`Search in ${field}`}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      )}
      {found.failure !== null && <p class="about">{found.failure.message}</p>}
      {values.map(([value, count]) => (
        <CheckBox key={value} isOn={chosen.includes(value)} onChange={() => onToggle(value)}>
          <span dir="auto">{value}</span> <span class="count">{humanCount(count)}</span>
        </CheckBox>
      ))}
      {wanted !== '' && found.answer?.facetHits.length === 0 && (
        <p class="about">No value starts with this text.</p>
      )}
      {wanted === '' && rest > 0 && (
        <button type="button" class="ghost more" onClick={() => setLong(!isLong)}>
          {isLong ? 'Show fewer' : `Show ${rest} more`}
          <span class="hidden"> values of {field}</span>
        </button>
      )}
    </fieldset>
  );
}

/** The first values, and the chosen ones, which have no count if no document has them. */
function withChosen(
  byCount: readonly ValueCount[],
  chosen: readonly string[],
  limit: number,
): readonly ValueCount[] {
  const first = byCount.slice(0, limit);
  const shown = new Set(first.map(([value]) => value));
  const counts = new Map(byCount);
  const others = chosen.filter((value) => !shown.has(value));
  return [...others.map((value): ValueCount => [value, counts.get(value) ?? 0]), ...first];
}
