/**
 * Goal: whatever becomes of batches and merges, an index's folder holds the files that its manifest
 * names, those that a reader may still hold, and nothing else.
 */

import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { randomOf } from '../../../load-tests/bench/random.ts';
import {
  encodeManifest,
  fileNamesOf,
  type IndexManifest,
} from '../../../src/model/index-manifest.ts';
import { SnapshotCache } from '../../../src/search/snapshot/snapshot-cache.ts';
import { openFolder } from '../../../src/storage/files/fs-directory.ts';
import { folderOfIndex } from '../../../src/storage/files/index-files.ts';
import { inProcessWriters } from '../../support/in-process-writers.ts';
import {
  drafts,
  type Harness,
  harnessOfTest,
  temporaryFolder,
} from '../../support/indexer-harness.ts';
import { amount } from '../../support/run-length.ts';
import { PATIENCE_MS } from '../../support/until.ts';

const SECONDS = amount(2, 60);
const UIDS = ['left', 'right'];

/** Reads the newest state of each index now and then, and holds it until it reads the next. */
class Reader {
  readonly #cache = new SnapshotCache(openFolder, 1 << 20);
  readonly #indexes: string;
  readonly #held = new Map<number, number>();
  reads = 0;

  constructor(dataDir: string) {
    this.#indexes = path.join(dataDir, 'indexes');
  }

  read(manifest: IndexManifest): void {
    const bytes = encodeManifest(manifest);
    const shared = new SharedArrayBuffer(bytes.length);
    new Uint8Array(shared).set(bytes);
    const key = `${manifest.id}:${manifest.generation}`;
    const folder = folderOfIndex(this.#indexes, manifest.id);
    const { segments } = this.#cache.get(key, shared, folder);
    for (const segment of segments) segment.readDocument(segment.docIds[0] as number);
    this.#held.set(manifest.id, manifest.generation);
    this.reads += 1;
  }

  holds(indexId: number): number {
    return this.#held.get(indexId) ?? Number.POSITIVE_INFINITY;
  }
}

/** Few enough for small segments to die as a whole. */
const IDS = 40;
const film = (id: number, turn: number) => ({ id, title: `Film ${id} of ${turn}`, year: turn % 9 });

/**
 * What the folders hold beyond the manifests, or lack, once the reader has the newest states. Those
 * of a merge under way are among them.
 */
function orphanFiles(
  { dataDir, service }: Harness,
  manifests: IndexManifest[],
  reader: Reader,
): string[] {
  return manifests.flatMap((manifest) => {
    reader.read(manifest);
    service.parts.housekeeping.sweepSoon();
    const held = fs.readdirSync(path.join(dataDir, 'indexes', String(manifest.id)));
    const named = fileNamesOf(manifest.segments);
    return [
      ...held.filter((name) => !named.includes(name)),
      ...named.filter((name) => !held.includes(name)).map((name) => `${name} is missing`),
    ];
  });
}

describe('a server under writes and reads', () => {
  it(
    'has no orphan file',
    async () => {
      const random = randomOf(7);
      const below = (limit: number) => Math.floor(random() * limit);
      const dataDir = temporaryFolder();
      const reader = new Reader(dataDir);
      let lost = 0;
      const afterTask = async (name: string): Promise<void> => {
        if (name === 'merge') await sleep(below(200));
        if (below(30) > 0) return;
        lost += 1;
        throw new Error('the thread died');
      };
      const open = await harnessOfTest({
        dataDir,
        openWriter: inProcessWriters(2, afterTask),
        minimumAcknowledged: (indexId) => reader.holds(indexId),
      });
      open.service.start();
      const manifests = () => [...open.service.parts.catalog.all()];
      const endMs = performance.now() + SECONDS * 1000;
      const sent: number[] = [];
      const hasMerged = () => open.logged.some((line) => line.startsWith('merged '));
      const hasSeenAll = () => lost > 0 && reader.reads > 0 && hasMerged();
      for (let turnNumber = 0; performance.now() < endMs || !hasSeenAll(); turnNumber++) {
        const uid = UIDS[below(2)] as string;
        const films = Array.from({ length: 1 + below(IDS) }, () => film(below(IDS), turnNumber));
        const draw = random();
        if (draw < 0.8) sent.push(...(await open.send(drafts.add(uid, films))));
        else if (draw < 0.9)
          sent.push(
            ...(await open.send(
              drafts.remove(
                uid,
                films.map(({ id }) => String(id)),
              ),
            )),
          );
        else if (draw < 0.93) {
          const attributes = [['year'], ['year', 'title'], []][below(3)] as string[];
          const settings = { filterableAttributes: attributes, stopWords: [`w${below(3)}`] };
          sent.push(...(await open.send(drafts.settings(uid, settings))));
        } else if (draw < 0.96) sent.push(...(await open.send(drafts.swap(['left', 'right']))));
        else if (draw < 0.98) sent.push(...(await open.send(drafts.clear(uid))));
        else sent.push(...(await open.send(drafts.cancel({ uids: sent.slice(-3) }))));
        await sleep(below(8));
        for (const manifest of manifests()) if (below(4) === 0) reader.read(manifest);
      }
      await open.wait(sent);
      await expect.poll(() => orphanFiles(open, manifests(), reader)).toEqual([]);
      expect(open.fatal).toEqual([]);
    },
    SECONDS * 1000 + 5 * PATIENCE_MS,
  );
});
