/** An index that foreign keys refer to, restricted by the caller's mandatory filter. */
import type { Deadline } from '../../core/deadline.ts';
import type { UnparsedFilter } from '../../model/filter/filter-form.ts';
import type { DocSet } from '../sets/doc-set.ts';
import type { ForeignIndex } from '../snapshot/foreign-indexes.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { filterDocuments, parsedFilter } from './filter-evaluator.ts';

/** @param binding the mandatory filter, or null */
export function boundForeignIndex(
  snapshot: IndexSnapshot,
  binding: UnparsedFilter | null,
  deadline: Deadline,
): ForeignIndex {
  let visible: DocSet | null | undefined;
  return {
    snapshot,
    get visible() {
      if (visible === undefined) {
        const options = { code: 'invalid_search_filter', deadline } as const;
        visible = filterDocuments(snapshot, parsedFilter(binding, options));
      }
      return visible;
    },
  };
}
