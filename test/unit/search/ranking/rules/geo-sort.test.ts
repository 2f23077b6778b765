/**
 * Sort by distance (relevance.md 3.11), for universes walked outwards and for universes sorted
 * completely, over several segments.
 */
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../../../src/core/deadline.ts';
import { haversineMetres } from '../../../../../src/engine/columns/haversine.ts';
import { executeSearch } from '../../../../../src/search/execute-search.ts';
import { buildPlacedSnapshot } from '../../../../support/build-snapshot.ts';
import { searchRequest } from '../../../../support/search-request.ts';

interface Spot {
  readonly id: number;
  readonly group: number;
  readonly _geo?: { readonly lat: number; readonly lng: number };
}

const COUNT = 3000;
const CENTER = { lat: 47, lng: 7.5 };

/** A fixed pseudo-random sequence of numbers in [0, 1). */
function* noise(): Generator<number> {
  for (let state = 7; ; state = (state * 1103515245 + 12345) % 2147483648) yield state / 2147483648;
}

/** Every fifth document has no geo point. */
function makeSpots(): Spot[] {
  const numbers = noise();
  const random = (): number => numbers.next().value as number;
  return Array.from({ length: COUNT }, (_, id) => {
    const place = { lat: random() * 180 - 90, lng: random() * 360 - 180 };
    return { id, group: id % 300, ...(id % 5 === 0 ? {} : { _geo: place }) };
  });
}

const SPOTS = makeSpots();

/**
 * The first segment also holds dead copies, at other places, of documents that live in the last.
 */
function snapshot() {
  const copies = SPOTS.map((document, docId) => ({
    docId,
    document: { ...document },
    isDead: false,
  }));
  const moved = copies.slice(2000, 2100).map(({ docId }) => ({
    docId,
    document: { id: docId, group: 0, _geo: { lat: 47, lng: 7.5 } },
    isDead: true,
  }));
  return buildPlacedSnapshot({
    segments: [[...copies.slice(0, 1000), ...moved], copies.slice(1000, 2000), copies.slice(2000)],
    settings: {
      sortableAttributes: ['_geo'],
      filterableAttributes: ['group'],
      pagination: { maxTotalHits: COUNT },
    },
  });
}

function sortedByHand(spots: readonly Spot[], direction: 'asc' | 'desc'): number[] {
  const isWhole = spots.filter(({ _geo }) => _geo).length < 1000;
  const metres = ({ _geo }: Spot): number => {
    const exact = haversineMetres(CENTER, _geo as { lat: number; lng: number });
    return isWhole ? Math.trunc(exact) : exact;
  };
  const placed = spots
    .filter(({ _geo }) => _geo)
    .sort((a, b) => metres(a) - metres(b) || a.id - b.id);
  if (direction === 'desc') placed.reverse();
  return [...placed, ...spots.filter(({ _geo }) => !_geo)].map(({ id }) => id);
}

describe('geo sort', () => {
  const index = snapshot();
  const groups = { all: 300, half: 150, few: 3 };
  for (const direction of ['asc', 'desc'] as const) {
    for (const [name, groupMax] of Object.entries(groups)) {
      for (const limit of [20, COUNT]) {
        it(`orders ${name} documents ${direction} as a sort by hand does, the first ${limit}`, () => {
          const request = searchRequest({
            filter: `group < ${groupMax}`,
            sort: [`_geoPoint(${CENTER.lat}, ${CENTER.lng}):${direction}`],
            limit,
          });
          const { documents } = executeSearch(index, request, Deadline.never());
          const expected = sortedByHand(
            SPOTS.filter(({ group }) => group < groupMax),
            direction,
          );
          expect(documents.map(({ doc }) => doc)).toEqual(expected.slice(0, limit));
        });
      }
    }
  }
});
