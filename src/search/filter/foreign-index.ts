/** An index that foreign keys refer to, restricted by the caller's mandatory filter. */
import type { Deadline } from '../../core/deadline.ts';
import type { UnparsedFilter } from '../../model/filter/filter-form.ts';
import type { DocSet } from '../sets/doc-set.ts';
import type { ForeignIndex } from '../snapshot/foreign-indexes.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { filterDocuments, parsedFilter } from './filter-evaluator.ts';

export class BoundForeignIndex implements ForeignIndex {
  readonly snapshot: IndexSnapshot;
  readonly #binding: UnparsedFilter | null;
  readonly #deadline: Deadline;
  #visible: DocSet | null | undefined = undefined;

  /** @param binding the mandatory filter, or null */
  constructor(snapshot: IndexSnapshot, binding: UnparsedFilter | null, deadline: Deadline) {
    this.snapshot = snapshot;
    this.#binding = binding;
    this.#deadline = deadline;
  }

  get visible(): DocSet | null {
    if (this.#visible === undefined) {
      const options = { code: 'invalid_search_filter', deadline: this.#deadline } as const;
      this.#visible = filterDocuments(this.snapshot, parsedFilter(this.#binding, options));
    }
    return this.#visible;
  }
}
