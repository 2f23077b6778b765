/**
 * Goal: the layout of segments changes no answer. Method: the same live documents in one clean
 * segment and in many with deleted copies.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDocument } from '../../src/search/read-documents.ts';
import { indexFigures } from '../../src/search/snapshot/index-stats.ts';
import {
  buildPlacedSnapshot,
  buildSnapshot,
  type PlacedDocument,
  type SourceDocument,
} from '../support/build-snapshot.ts';
import { rankedDocuments } from '../support/ranked-documents.ts';
import { amount } from '../support/run-length.ts';
import { searchIds } from '../support/search.ts';
import { documentLists, type SearchCase, searchCases } from '../support/search-cases.ts';
import { DIGEST_ALL } from '../support/segment-file.ts';

/** The segment of a document, and the earlier segments that hold a replaced copy. */
interface Placement {
  readonly home: number;
  readonly deadIn: readonly boolean[];
}

const SEGMENTS_MAX = 6;
const placement: fc.Arbitrary<Placement> = fc.record({
  home: fc.nat(SEGMENTS_MAX - 1),
  deadIn: fc.array(fc.boolean(), { minLength: SEGMENTS_MAX, maxLength: SEGMENTS_MAX }),
});

/**
 * Earlier copies of a document: words of no live document, similar to and inside the words of
 * queries, and fields that no live document has.
 */
const former = (id: unknown, past: SourceDocument): SourceDocument => ({
  ...past,
  id,
  body: 'sunflowed flowes sunn lowe flower sunsun',
  lost: 'sunflower day lowered',
});

function deal(
  documents: readonly SourceDocument[],
  placements: readonly Placement[],
  pasts: readonly SourceDocument[],
): PlacedDocument[][] {
  const segments: PlacedDocument[][] = Array.from({ length: SEGMENTS_MAX }, () => []);
  documents.forEach((document, docId) => {
    const { home, deadIn } = placements[docId % placements.length]!;
    segments[home]!.push({ docId, document, isDead: false });
    for (let s = 0; s < home; s++) {
      const past = former(document['id'], pasts[(docId + s) % pasts.length]!);
      if (deadIn[s]) segments[s]!.push({ docId, document: past, isDead: true });
    }
  });
  return segments.filter((copies) => copies.length > 0);
}

const whole = fc.record({
  one: searchCases,
  placements: fc.array(placement, { minLength: 3, maxLength: 10 }),
  pasts: documentLists(4),
  byAttribute: fc.boolean(),
});

describe('documents distributed over segments', () => {
  it('answer searches as in one segment, with any deleted copies', () => {
    fc.assert(
      fc.property(whole, ({ one, placements, pasts, byAttribute }) => {
        const proximityPrecision = byAttribute ? 'byAttribute' : 'byWord';
        const settings = { ...one.settings, proximityPrecision } as const;
        const clean = buildSnapshot({ documents: one.documents, settings });
        const dealt = buildPlacedSnapshot({
          segments: deal(one.documents, placements, pasts),
          settings,
          digests: DIGEST_ALL,
        });
        expect(rankedDocuments(dealt, one)).toEqual(rankedDocuments(clean, one));
        const bare: SearchCase = {
          ...one,
          query: { items: [{ kind: 'not', text: 'sun' }], trailingSpace: false },
        };
        expect(rankedDocuments(dealt, bare)).toEqual(rankedDocuments(clean, bare));
      }),
      { numRuns: amount(12, 1250) },
    );
  });

  it('have the same counts and return their live copy', () => {
    fc.assert(
      fc.property(whole, ({ one: { documents, settings }, placements, pasts }) => {
        const clean = buildSnapshot({ documents, settings });
        const dealt = buildPlacedSnapshot({
          segments: deal(documents, placements, pasts),
          settings,
        });
        expect(searchIds(dealt, {})).toEqual(documents.map(({ id }) => id));
        expect(indexFigures(dealt).numberOfDocuments).toBe(documents.length);
        expect(indexFigures(dealt).fieldDistribution).toEqual(
          indexFigures(clean).fieldDistribution,
        );
        for (const document of documents) {
          const read = readDocument(dealt, String(document['id']), {
            fields: null,
            retrieveVectors: false,
          });
          expect(JSON.parse(new TextDecoder().decode(read))).toEqual(document);
        }
      }),
      { numRuns: amount(10, 500) },
    );
  });
});
