/** Values of a facet with their counts, as check boxes. */
import { humanCount } from '../parts/human.ts';

interface FacetListProps {
  readonly field: string;
  /** Number of documents by value. */
  readonly counts: Readonly<Record<string, number>>;
  readonly chosen: readonly string[];
  readonly onToggle: (value: string) => void;
}

const VALUES_SHOWN_MAX = 12;

export function FacetList({ field, counts, chosen, onToggle }: FacetListProps) {
  const missing = chosen.filter((value) => !Object.hasOwn(counts, value));
  const values = [
    ...missing.map((value): [string, number] => [value, 0]),
    ...Object.entries(counts).sort(([, left], [, right]) => right - left),
  ];
  const isShown = ([value]: readonly [string, number], i: number) =>
    i < VALUES_SHOWN_MAX || chosen.includes(value);
  return (
    <fieldset class="facet">
      <legend>{field}</legend>
      {values.filter(isShown).map(([value, count]) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={() => onToggle(value)}
          />
          <span dir="auto">{value}</span> <span class="count">{humanCount(count)}</span>
        </label>
      ))}
    </fieldset>
  );
}
