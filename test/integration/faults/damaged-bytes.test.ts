/**
 * Files of every component cut short or with bits flipped: each is found out by the check of files,
 * which names it, before anybody could be given a wrong hit.
 */

import { beforeAll, describe, expect, it } from 'vitest';
import { MemoryDirectory } from '../../../load-tests/bench/memory-directory.ts';
import { randomOf } from '../../../load-tests/bench/random.ts';
import { checkFile } from '../../../src/indexing/files/open-files.ts';
import type { SegmentFile } from '../../../src/model/index-manifest.ts';
import { amount } from '../../support/run-length.ts';
import { TestIndex } from '../../unit/indexing/support.ts';

const FLIPS = amount(300, 100_000);
const CUT_EVERY = 100;
const WORDS = 'amber basin cedar delta ember fjord grove haven inlet jetty knoll larch mesa'.split(
  ' ',
);

const files: { readonly file: SegmentFile; readonly bytes: Uint8Array }[] = [];

beforeAll(async () => {
  const embedder = { source: 'userProvided', dimensions: 4 };
  const index = new TestIndex({
    settings: { filterableAttributes: ['year', '_geo'], embedders: { mine: embedder } } as never,
  });
  const films = Array.from({ length: 600 }, (_, id) => ({
    id,
    title: `${WORDS[id % 13]} ${WORDS[(id * 7 + 3) % 13]} ${id}`,
    year: 1900 + (id % 120),
    _geo: { lat: id % 80, lng: -id % 90 },
    _vectors: { mine: [id, 1, id % 7, 0.5] },
  }));
  await index.apply(index.upsert(films));
  for (const file of index.manifest.segments.flatMap((segment) => segment.files))
    files.push({ file, bytes: index.directory.open(file.name).bytes });
});

/** What the check says of the file with these bytes. */
function verdict(file: SegmentFile, bytes: Uint8Array): string | null {
  const directory = new MemoryDirectory();
  directory.create(file.name, [bytes]);
  return checkFile(directory, file);
}

describe('a file of a segment', () => {
  it('is there for every component, and sound as it was written', () => {
    expect(new Set(files.map(({ file }) => file.component))).toEqual(
      new Set(['documents', 'columns', 'vectors']),
    );
    for (const { file, bytes } of files) expect(verdict(file, bytes)).toBeNull();
  });

  it(`is found out, by its name, when it ends at any ${CUT_EVERY}th byte`, () => {
    for (const { file, bytes } of files)
      for (let length = 0; length < bytes.length; length += CUT_EVERY)
        expect(verdict(file, bytes.slice(0, length))).toContain(file.name);
  });

  it(`is found out, by its name, when a bit flips (${FLIPS} at random)`, () => {
    const random = randomOf(11);
    const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
    for (let flip = 0; flip < FLIPS; flip++) {
      let at = Math.floor(random() * total);
      const hit = files.find(({ bytes }) => {
        if (at < bytes.length) return true;
        at -= bytes.length;
        return false;
      }) as (typeof files)[number];
      const changed = hit.bytes.slice();
      changed[at] = (changed[at] as number) ^ (1 << Math.floor(random() * 8));
      expect(verdict(hit.file, changed), `${hit.file.name} at ${at}`).toContain(hit.file.name);
    }
  });
});
