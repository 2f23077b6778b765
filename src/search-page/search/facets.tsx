/** Conditions of the search, and filters by value and range: next to the hits, on narrow screens in a dialog. */
import { useState } from 'preact/hooks';
import { counted } from '../../core/counted.ts';
import { Button, removing } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { FacetList } from './facet-list.tsx';
import { RangeFacet } from './range-facet.tsx';
import {
  activeFilters,
  type SearchState,
  WHOLE_RANGE,
  withoutFilters,
  withRange,
  withToggled,
} from './search-state.ts';

export interface FacetCounts {
  readonly facetStats?: Readonly<Record<string, { readonly min: number; readonly max: number }>>;
  readonly facetDistribution?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export interface FacetsProps {
  readonly index: string;
  readonly state: SearchState;
  /** Fields in the order of the setting `filterableAttributes`. */
  readonly order: readonly unknown[];
  /** Of the search, then of fields with conditions of their own, which come last. */
  readonly counts: readonly FacetCounts[];
  readonly onChange: (state: SearchState) => void;
}

const hasFields = (counts: readonly FacetCounts[]): boolean =>
  counts.some(({ facetDistribution }) => Object.keys(facetDistribution ?? {}).length > 0);

/** Next to the hits. */
export const FacetColumn = (props: FacetsProps) =>
  hasFields(props.counts) ? (
    <aside class="facets" aria-label="Filters by value">
      <FacetFields {...props} />
    </aside>
  ) : null;

/** A button that opens them as a sheet, for narrow screens. */
export function FacetSheet(props: FacetsProps & { readonly total: number }) {
  const [isOpen, setOpen] = useState(false);
  if (!hasFields(props.counts)) return null;
  const count = activeFilters(props.state).length;
  return (
    <>
      <button type="button" class="quiet" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Filters{count > 0 && ` (${count})`}
      </button>
      {isOpen && (
        <Dialog title="Filters" onClose={() => setOpen(false)}>
          <FacetFields {...props} />
          {/* Closes the dialog without sending anything. */}
          <form method="dialog" class="sheet-end">
            <button type="submit">Show {counted(props.total, 'hit')}</button>
          </form>
        </Dialog>
      )}
    </>
  );
}

function FacetFields({ index, state, order, counts, onChange }: FacetsProps) {
  const distribution = Object.assign(
    {},
    ...counts.map(({ facetDistribution }) => facetDistribution),
  ) as NonNullable<FacetCounts['facetDistribution']>;
  const stats = Object.assign({}, ...counts.map(({ facetStats }) => facetStats)) as NonNullable<
    FacetCounts['facetStats']
  >;
  // Places have a form of their own.
  const fields = Object.entries(distribution).filter(([field]) => !field.startsWith('_geo.'));
  const placeOf = (field: string) => (order.includes(field) ? order.indexOf(field) : order.length);
  fields.sort(([left], [right]) => placeOf(left) - placeOf(right));
  return (
    <>
      {fields.map(([field, values]) => {
        const bounds = stats[field];
        if (bounds !== undefined)
          return (
            <RangeFacet
              key={field}
              field={field}
              {...bounds}
              range={state.ranges[field] ?? WHOLE_RANGE}
              onChange={(range) => onChange(withRange(state, field, range))}
            />
          );
        if (Object.keys(values).length === 0 && state.chosen[field] === undefined) return null;
        return (
          <FacetList
            key={`${index}/${field}`}
            index={index}
            field={field}
            counts={values}
            state={state}
            onToggle={(value) => onChange(withToggled(state, field, value))}
          />
        );
      })}
    </>
  );
}

/** The conditions of the search as removable entries. */
export function ActiveFilters({ state, onChange }: Pick<FacetsProps, 'state' | 'onChange'>) {
  const filters = activeFilters(state);
  if (filters.length === 0) return null;
  return (
    <ul class="active-filters plain row" aria-label="Active filters">
      {filters.map(({ text, without }) => (
        <li key={text}>
          <button
            type="button"
            class="chip"
            aria-label={`Remove filter ${text}`}
            onClick={removing(() => onChange(without))}
          >
            <span dir="auto">{text}</span> <span aria-hidden="true">✕</span>
          </button>
        </li>
      ))}
      <li>
        <Button text="Clear all" class="ghost" onClick={() => onChange(withoutFilters(state))} />
      </li>
    </ul>
  );
}
