/** Minimum and maximum of a numeric facet. */
import type { ValueRange } from './search-state.ts';

interface RangeFacetProps {
  readonly field: string;
  /** Minimum and maximum among the found documents. */
  readonly min: number;
  readonly max: number;
  readonly range: ValueRange;
  readonly onChange: (range: ValueRange) => void;
}

const numberOf = (text: string): number | null =>
  text.trim() === '' || !Number.isFinite(Number(text)) ? null : Number(text);

export const RangeFacet = ({ field, min, max, range, onChange }: RangeFacetProps) => (
  <fieldset class="facet range">
    <legend>{field}</legend>
    <input
      type="number"
      step="any"
      aria-label={`${field} from`}
      placeholder={String(min)}
      value={range.from ?? ''}
      onInput={(event) => onChange({ ...range, from: numberOf(event.currentTarget.value) })}
    />
    {' – '}
    <input
      type="number"
      step="any"
      aria-label={`${field} to`}
      placeholder={String(max)}
      value={range.to ?? ''}
      onInput={(event) => onChange({ ...range, to: numberOf(event.currentTarget.value) })}
    />
  </fieldset>
);
