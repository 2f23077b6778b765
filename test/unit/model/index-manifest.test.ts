/** Manifests of earlier versions stay readable. */
import { expect, it } from 'vitest';
import { newManifest } from '../../../src/catalog/manifest.ts';
import { decodeManifest } from '../../../src/model/index-manifest.ts';

const manifest = newManifest('movies', 0, null, '2026-01-01T00:00:00.000000Z');

it('reads a manifest with the earlier names of its members', () => {
  const { batchEndDocIds, seenFieldPaths, ...earlier } = manifest;
  const stored = { ...earlier, arrivals: [20, 25], metPaths: ['genre'] };
  expect(decodeManifest(Buffer.from(JSON.stringify(stored)))).toEqual({
    ...manifest,
    batchEndDocIds: [20, 25],
    seenFieldPaths: ['genre'],
  });
  expect(decodeManifest(Buffer.from(JSON.stringify(earlier)))).toEqual(manifest);
});
