/** Values from the database are checked where they are read. */
import { describe, expect, it } from 'vitest';
import { newManifest } from '../../../../src/catalog/manifest.ts';
import { CorruptionError } from '../../../../src/core/errors.ts';
import { encodeManifest, type IndexManifest } from '../../../../src/model/index-manifest.ts';
import { readStored } from '../../../../src/model/schemas/stored-schema.ts';

const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const manifest = newManifest('movies', 0, null, '2026-01-01T00:00:00.000000Z');

describe('readStored', () => {
  it('reads a value with all its members', () => {
    const read = readStored<IndexManifest>('index manifest', encodeManifest(manifest));
    expect(read).toEqual(manifest);
  });

  it('names the kind and the member of a wrong value', () => {
    const read = () => readStored('index manifest', bytesOf({ ...manifest, id: 'x' }));
    expect(read).toThrow(CorruptionError);
    expect(read).toThrow('A stored index manifest is damaged at member "/id"');
  });

  it('refuses a value that lacks a member, and one that is no JSON', () => {
    expect(() => readStored('webhook', bytesOf({ url: 'http://a' }))).toThrow(/webhook.*headers/);
    expect(() => readStored('API key', new Uint8Array([1, 2]))).toThrow(/API key.*no JSON/);
  });
});
