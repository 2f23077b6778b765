/**
 * `_foreign` against a naive join: documents whose values equal an id that the inner filter
 * selects.
 */

import { expect, it } from 'vitest';
import { randomOf } from '../../load-tests/bench/random.ts';
import { Deadline } from '../../src/core/deadline.ts';
import { filterDocuments, parsedFilter } from '../../src/search/filter/filter-evaluator.ts';
import { boundForeignIndex } from '../../src/search/filter/foreign-index.ts';
import type { IndexSnapshot } from '../../src/search/snapshot/index-snapshot.ts';
import {
  buildPlacedSnapshot,
  type PlacedDocument,
  type SourceDocument,
} from '../support/build-snapshot.ts';
import {
  type Flat,
  flatten,
  type Random,
  randomDocument,
  randomFilter,
} from '../support/filter-oracle.ts';
import { amount } from '../support/run-length.ts';
import { searchFilter } from '../support/search-request.ts';

const CORPORA = amount(6, 300);
/** In its foreign index, only a deleted copy of a document has the field `x`. */
const SEED_OF_DELETED_FIELD = 121;
const FILTERS_PER_CORPUS = 60;
const FIELDS = ['x', 'y', 'o', 'seldom', 'never'];
const OPTIONS = { code: 'invalid_search_filter', deadline: Deadline.never() } as const;
const below = (random: Random, count: number): number => Math.floor(random() * count);

/** Documents in one to three segments, some with a deleted older copy. */
function placed(documents: readonly SourceDocument[], random: Random): PlacedDocument[][] {
  const segments: PlacedDocument[][] = Array.from({ length: 1 + below(random, 3) }, () => []);
  documents.forEach((document, docId) => {
    const segment = below(random, segments.length);
    if (segment > 0 && random() < 0.2)
      segments[segment - 1]?.push({ docId, document: { ...document, x: 'a' }, isDead: true });
    segments[segment]?.push({ docId, document, isDead: false });
  });
  return segments.filter((copies) => copies.length > 0);
}

interface Joined {
  readonly names: ReadonlyMap<string, Flat>;
  readonly foreign: IndexSnapshot;
  /** Paths of the foreign index, those of deleted copies included. */
  readonly seen: ReadonlySet<string>;
  /** By DocId. */
  readonly documents: readonly {
    readonly refs: readonly (string | number)[];
    readonly y: number;
  }[];
  readonly snapshot: IndexSnapshot;
}

function joined(random: Random): Joined {
  const people = Array.from({ length: 1 + below(random, 30) }, (_, i) => ({
    ...randomDocument(random, i),
    id: random() < 0.5 ? i : `p-${i}`,
  }));
  const ids = people.map(({ id }) => id);
  const ref = (): string | number =>
    random() < 0.9 ? (ids[below(random, ids.length)] ?? 0) : `nobody-${below(random, 5)}`;
  const documents = Array.from({ length: 1 + below(random, 40) }, () => ({
    refs: Array.from({ length: below(random, 4) }, ref),
    y: below(random, 3),
  }));
  const sources = documents.map(({ refs, y }, id) => ({
    ...{ id, y },
    ...(refs.length === 1 ? { refs: refs[0] } : refs.length === 0 ? {} : { refs }),
  }));
  const segments = placed(people as never, random);
  return {
    names: new Map(people.map((person) => [String(person.id), flatten(person as never)])),
    foreign: buildPlacedSnapshot({ segments, settings: { filterableAttributes: FIELDS } }),
    seen: new Set(
      segments.flat().flatMap(({ document }) => [...flatten(document as never).keys()]),
    ),
    documents,
    snapshot: buildPlacedSnapshot({
      segments: placed(sources, random),
      settings: {
        filterableAttributes: ['refs', 'y'],
        foreignKeys: [{ fieldName: 'refs', foreignIndexUid: 'people' }],
      },
    }),
  };
}

/** Evaluated twice: the second time from the query cache. */
function select(
  { snapshot, foreign }: Joined,
  filter: string,
  binding: string | null,
): readonly number[] {
  const once = (): number[] => {
    const indexes = new Map([
      ['refs', boundForeignIndex(foreign, searchFilter(binding), OPTIONS.deadline)],
    ]);
    const parsed = parsedFilter(searchFilter(filter), OPTIONS);
    return [...(filterDocuments(snapshot, parsed, indexes) ?? snapshot.live).toList()];
  };
  const found = once();
  expect(once()).toEqual(found);
  return found;
}

it('a filter on another index selects the documents that refer to the documents it selects there', () => {
  let nonTrivial = 0;
  const seeds = Array.from({ length: CORPORA }, (_, i) => i + 1);
  for (const seed of [SEED_OF_DELETED_FIELD, ...seeds]) {
    const random = randomOf(seed);
    const corpus = joined(random);
    const { seen } = corpus;
    for (let i = 0; i < FILTERS_PER_CORPUS; i++) {
      const inner = randomFilter(random, (path) => seen.has(path), i % 3);
      const bound = random() < 0.3 ? randomFilter(random, (path) => seen.has(path), 0) : null;
      const names = (refs: readonly (string | number)[]): boolean =>
        refs.some((ref) => {
          const flat = corpus.names.get(String(ref));
          return flat !== undefined && inner.matches(flat) && (bound?.matches(flat) ?? true);
        });
      const condition = `_foreign(refs, ${inner.text})`;
      const forms: readonly (readonly [string, (d: Joined['documents'][number]) => boolean])[] = [
        [condition, ({ refs }) => names(refs)],
        [`NOT ${condition}`, ({ refs }) => !names(refs)],
        [`${condition} AND y = 1`, ({ refs, y }) => names(refs) && y === 1],
        [
          `y = 1 OR (NOT (y = 0) AND ${condition})`,
          ({ refs, y }) => y === 1 || (y !== 0 && names(refs)),
        ],
      ];
      const [filter, isWanted] = forms[i % forms.length] as (typeof forms)[number];
      const found = select(corpus, filter, bound?.text ?? null);
      const wanted = corpus.documents.flatMap((document, docId) =>
        isWanted(document) ? [docId] : [],
      );
      if (found.join() !== wanted.join())
        expect({ seed, filter, bound: bound?.text, found }).toEqual({ found: wanted });
      if (found.length > 0 && found.length < corpus.documents.length) nonTrivial++;
    }
  }
  expect(nonTrivial).toBeGreaterThan(CORPORA * 8);
});
