/** Differences of an index and its source, with parts too large for one request. */
import { describe, expect, it } from 'vitest';
import { compareSource } from '../../../src/cli/documents/compare-source.ts';
import type { Terminal } from '../../../src/cli/terminal.ts';
import type { Json } from '../../../src/core/json.ts';
import { limits } from '../../../src/core/limits.ts';
import {
  documentFingerprint,
  FingerprintSum,
  idDigest,
  partDigits,
} from '../../../src/model/document-fingerprint.ts';

const notes: string[] = [];
const terminal = {
  progress: () => undefined,
  note: (line: string) => notes.push(line),
} as Partial<Terminal> as Terminal;

/** Answers as a server with these documents; collects the beginnings of digests of each request. */
function serverWith(documents: readonly Json[], requests: string[][]) {
  const stored = documents.map((document) => ({
    id: String(document['id']),
    digest: idDigest(String(document['id'])),
    fingerprint: documentFingerprint(document),
  }));
  const sum = new FingerprintSum();
  for (const { digest, fingerprint } of stored) sum.addDocument(digest, fingerprint);
  const { counts, sums } = sum.parts;
  const parts = counts.map((numberOfDocuments, part) => ({
    prefix: partDigits(part),
    numberOfDocuments,
    fingerprint: sums[part],
  }));
  const answerTo = (path: string): unknown => {
    const { searchParams } = new URL(path, 'http://localhost');
    const prefixes = searchParams.get('documents')?.split(',');
    if (prefixes !== undefined) {
      requests.push(prefixes);
      const isSelected = ({ digest }: { digest: string }) =>
        prefixes.some((prefix) => digest.startsWith(prefix));
      return { documents: stored.filter(isSelected) };
    }
    return searchParams.has('parts') ? { ...sum.total, parts } : { primaryKey: 'id' };
  };
  return {
    request: async <Result>(_: string, path: string) => answerTo(path) as Result,
  };
}

const documents = Array.from({ length: 3000 }, (_, id) => ({ id, title: `film ${id}` }));

async function differences(source: readonly Json[], selectedMax: number, differencesMax = 1000) {
  const requests: string[][] = [];
  const found = await compareSource(
    {
      instance: serverWith(documents, requests),
      terminal,
      indexUid: 'films',
      source: 'films.ndjson',
      documents: async function* () {
        for (const document of source) yield { document, part: 1 };
      },
      differencesMax,
    },
    selectedMax,
  );
  return { ...found, requests };
}

it('says that vectors are not compared', async () => {
  const [first, ...others] = documents;
  notes.length = 0;
  const { changed } = await differences([{ ...first, _vectors: { own: [1] } }, ...others], 100);
  expect([changed, notes]).toEqual([[], ['films.ndjson: `_vectors` are not compared']]);
});

describe('a comparison whose parts have more documents than one request may select', () => {
  const source = documents
    .filter(({ id }) => id % 500 !== 7)
    .map((document) => (document.id === 41 ? { ...document, title: 'changed' } : document));

  it('divides the parts that differ, and finds every difference', async () => {
    const { requests, missing, surplus, changed, isCut } = await differences(
      [...source, { id: 'new' }],
      4,
    );
    expect([missing, changed, isCut]).toEqual([['new'], ['41'], false]);
    expect(surplus.map(Number).sort((a, b) => a - b)).toEqual([7, 507, 1007, 1507, 2007, 2507]);
    const differing = new Set(
      ['new', 41, 7, 507, 1007, 1507, 2007, 2507].map((id) => idDigest(String(id)).slice(0, 2)),
    );
    const prefixes = requests.flat();
    expect(prefixes).toHaveLength(differing.size * 256);
    expect(new Set(prefixes.map((prefix) => prefix.slice(0, 2)))).toEqual(differing);
    for (const some of requests)
      expect(some.length).toBeLessThanOrEqual(limits.fingerprintPrefixesMax);
  });

  it('selects small parts whole, several in a request', async () => {
    const { requests, surplus } = await differences(source, 100);
    expect(surplus).toHaveLength(6);
    expect(requests.flat().every((prefix) => prefix.length === 2)).toBe(true);
    expect(requests.length).toBeLessThan(requests.flat().length);
  });

  it('ends at the limit of differences', async () => {
    const { requests, surplus, isCut } = await differences([], 4, 10);
    expect([surplus.length, isCut]).toEqual([10, true]);
    expect(requests.length).toBeLessThan(256);
  });
});
