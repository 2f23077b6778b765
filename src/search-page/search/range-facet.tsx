/** Minimum and maximum of a facet with numbers or dates: a slider with two handles, and fields. */
import { humanCount } from '../parts/human.ts';
import type { ValueRange } from './search-state.ts';
import { dayLength, dayOf, type TimeUnit, timeOfDay, timeUnitOf } from './time-values.ts';

interface RangeFacetProps {
  readonly field: string;
  /** Bounds among the documents that are found without this range. */
  readonly min: number;
  readonly max: number;
  readonly range: ValueRange;
  readonly onChange: (range: ValueRange) => void;
}

/** A slider over fractions has at least this number of values. */
const FRACTIONS = 100;

/** Step of the values that a slider chooses. */
const stepOf = (min: number, max: number, unit: TimeUnit | null): number => {
  if (unit !== null) return dayLength(unit);
  if (Number.isInteger(min) && Number.isInteger(max)) return 1;
  return 10 ** Math.floor(Math.log10((max - min) / FRACTIONS));
};

const roundedTo = (step: number, value: number): number =>
  Number((Math.round(value / step) * step).toPrecision(12));

export function RangeFacet({ field, min, max, range, onChange }: RangeFacetProps) {
  const unit = timeUnitOf(field, [min, max]);
  const from = Math.max(range.from ?? min, min);
  const to = Math.min(range.to ?? max, max);
  const slideFrom = (value: number) =>
    onChange({ ...range, from: value <= min ? null : Math.min(value, to) });
  const slideTo = (value: number) =>
    onChange({ ...range, to: value >= max ? null : Math.max(value, from) });
  const setFrom = (value: number | null) => onChange({ ...range, from: value });
  const setTo = (value: number | null) => onChange({ ...range, to: value });
  const shared = { field, min, max, unit };
  const share = (value: number) => (max === min ? 0 : (value - min) / (max - min));
  return (
    <fieldset class="facet range" data-field={field}>
      <legend>{field}</legend>
      {max > min && (
        <div
          class="slider"
          style={{ '--from': String(share(from)), '--to': String(share(Math.max(from, to))) }}
        >
          <Handle {...shared} end="from" value={from} onChange={slideFrom} />
          <Handle {...shared} end="to" value={to} onChange={slideTo} />
        </div>
      )}
      <div class="ends">
        <End {...shared} end="from" value={range.from} bound={min} onChange={setFrom} />
        <span aria-hidden="true">–</span>
        <End {...shared} end="to" value={range.to} bound={max} onChange={setTo} />
      </div>
    </fieldset>
  );
}

interface EndProps {
  readonly field: string;
  readonly end: 'from' | 'to';
  readonly min: number;
  readonly max: number;
  readonly unit: TimeUnit | null;
}

interface HandleProps extends EndProps {
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** Both bounds can be reached exactly, whatever the step. */
function Handle({ field, end, min, max, unit, value, onChange }: HandleProps) {
  const step = stepOf(min, max, unit);
  return (
    <input
      type="range"
      aria-label={`${field} ${end}, slider`}
      aria-valuetext={unit === null ? humanCount(value) : dayOf(value, unit)}
      min={min}
      max={max}
      step="any"
      value={value}
      onInput={(event) => {
        const chosen = event.currentTarget.valueAsNumber;
        onChange(chosen <= min || chosen >= max ? chosen : roundedTo(step, chosen));
      }}
    />
  );
}

interface FieldProps extends EndProps {
  readonly value: number | null;
  readonly bound: number;
  readonly onChange: (value: number | null) => void;
}

const numberOf = (text: string): number | null =>
  text.trim() === '' || !Number.isFinite(Number(text)) ? null : Number(text);

function End({ field, end, unit, value, bound, onChange }: FieldProps) {
  const label = `${field} ${end}`;
  if (unit !== null)
    return (
      <input
        type="date"
        aria-label={label}
        value={dayOf(value ?? bound, unit)}
        onChange={(event) => onChange(timeOfDay(event.currentTarget.value, unit))}
      />
    );
  return (
    <input
      type="number"
      step="any"
      aria-label={label}
      placeholder={String(bound)}
      value={value ?? ''}
      onInput={(event) => onChange(numberOf(event.currentTarget.value))}
    />
  );
}
