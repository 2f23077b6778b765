/** The conditions of the search as removable entries. */

import { Button } from '../parts/button.tsx';
import { activeFilters, type SearchState, withoutFilters } from './search-state.ts';

interface ActiveFiltersProps {
  readonly state: SearchState;
  readonly onChange: (state: SearchState) => void;
}

export function ActiveFilters({ state, onChange }: ActiveFiltersProps) {
  const filters = activeFilters(state);
  if (filters.length === 0) return null;
  return (
    <ul class="active-filters" aria-label="Active filters">
      {filters.map(({ text, without }) => (
        <li key={text}>
          <button
            type="button"
            class="chip"
            aria-label={`Remove filter ${text}`}
            onClick={() => onChange(without)}
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
