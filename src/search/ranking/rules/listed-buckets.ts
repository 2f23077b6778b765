/** Buckets of a rule that lists them, best first, before the first one is requested. */
import type { DocSet } from '../../sets/doc-set.ts';
import type { Bucket, BucketSource } from './ranking-rule.ts';

/** Documents of a bucket, found when it is requested. @param left documents in no bucket yet */
interface Listed {
  readonly docs: (left: DocSet) => DocSet;
}

export class ListedBuckets<Item extends Listed> implements BucketSource {
  readonly #items: readonly Item[];
  readonly #bucketOf: (item: Item, docs: DocSet) => Bucket;
  #at = 0;
  /** Number of documents left in the universe if only this rule removes documents. */
  #expected: number;

  /** @param items without common documents, all of the universe */
  constructor(
    universe: DocSet,
    items: readonly Item[],
    bucketOf: (item: Item, docs: DocSet) => Bucket,
  ) {
    this.#items = items;
    this.#bucketOf = bucketOf;
    this.#expected = universe.count;
  }

  next(universe: DocSet): Bucket | null {
    while (this.#at < this.#items.length) {
      const item = this.#items[this.#at++]!;
      const found = item.docs(universe);
      const docs = universe.count === this.#expected ? found : found.retain(universe);
      this.#expected = universe.count - docs.count;
      if (!docs.isEmpty) return this.#bucketOf(item, docs);
    }
    return null;
  }
}
