/** Each value begins with the version of its kind; what has another one is not read. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { encodeKey } from '../../../../src/storage/database/key-encoding.ts';
import { del, put } from '../../../../src/storage/database/key-value-store.ts';
import { RocksDbStore } from '../../../../src/storage/database/rocksdb-store.ts';
import { STATE_VALUES, ValueFormats } from '../../../../src/storage/database/value-formats.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (value: Uint8Array | null) =>
  value === null ? null : new TextDecoder().decode(value);

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'value-formats-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

describe('formats of values', () => {
  it('stand in the first byte, by the first name of the key or both names of `meta`', () => {
    for (const key of [
      encodeKey('task', 7),
      encodeKey('attempt', 'uuid', 1),
      encodeKey('meta', 'features'),
    ])
      expect([...STATE_VALUES.encode(key, bytes('ab'))]).toEqual([1, 97, 98]);
    const empty = STATE_VALUES.encode(encodeKey('payload', 1), new Uint8Array(0));
    expect(STATE_VALUES.decode(encodeKey('payload', 1), empty)).toHaveLength(0);
  });

  it('are asked of every kind', () => {
    for (const [key, kind] of [
      [encodeKey('new', 1), 'new'],
      [encodeKey('meta', 'new'), 'meta new'],
      [encodeKey(5), ''],
    ] as const)
      expect(() => STATE_VALUES.encode(key, bytes('x'))).toThrow(`the kind "${kind}" of values`);
  });

  it('that are others are refused, and named', () => {
    const later = new ValueFormats(() => 'task', { task: 2 });
    const key = encodeKey('task', 7);
    const stored = later.encode(key, bytes('x'));
    expect(() => STATE_VALUES.decode(key, stored)).toThrow(
      'a value of the kind "task" has format 2, expected 1',
    );
    expect(() => STATE_VALUES.decode(key, new Uint8Array(0))).toThrow('has format none');
  });

  it('are put on and taken off by the store, in every way to read', async () => {
    const place = path.join(folder, 'db');
    const key = encodeKey('task', 1);
    const store = await RocksDbStore.open(place);
    await store.write([put(key, bytes('one')), put(encodeKey('task', 2), bytes('two'))]);
    await store.write([del(encodeKey('task', 2))]);
    const view = store.view();
    for (const reader of [store, view]) {
      expect(text(await reader.get(key))).toBe('one');
      expect((await reader.getMany([key, encodeKey('task', 2)])).map(text)).toEqual(['one', null]);
      const found: string[] = [];
      for await (const { value } of reader.iterate({})) found.push(String(text(value)));
      expect(found).toEqual(['one']);
    }
    await view.close();
    await store.close();
    const plain = await RocksDbStore.open(place, { values: null });
    expect(text(await plain.get(key))).toBe('\u0001one');
    await plain.close();
  });
});
