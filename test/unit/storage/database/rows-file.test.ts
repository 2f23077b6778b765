/** Entries of a database as one stream of bytes. */
import { describe, expect, it } from 'vitest';
import { encodeKey } from '../../../../src/storage/database/key-encoding.ts';
import type { Entry } from '../../../../src/storage/database/key-value-store.ts';
import { decodeRows, encodeRows } from '../../../../src/storage/database/rows-file.ts';

async function* each<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  yield* items;
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const entry = (key: Uint8Array, bytes: number): Entry => ({
  key,
  value: new Uint8Array(bytes).fill(7),
});
const textOf = ({ key, value }: Entry): string => Buffer.concat([key, value]).toString('latin1');
const ENTRIES = [
  entry(encodeKey('batch', 1), 0),
  entry(encodeKey('row', 1), 5),
  entry(encodeKey('task', 1), 1_500_000),
  entry(encodeKey('task', 2), 3),
];

describe('rows of a database', () => {
  it.each([
    [1, 26],
    [7, 26],
    [4096, 10_000_000],
    [10_000_000, 10_000_000],
  ])('are read from chunks of %i bytes', async (size, last) => {
    const bytes = Buffer.concat(await all(encodeRows(each(ENTRIES)))).subarray(-last);
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    const found = await all(decodeRows(each(chunks)));
    expect(found.map(textOf)).toEqual(ENTRIES.map(textOf).slice(-found.length));
    expect(found).toHaveLength(last === 26 ? 1 : ENTRIES.length);
  });

  it('are refused when they end within an entry, or have another format', async () => {
    const whole = Buffer.concat(await all(encodeRows(each(ENTRIES.slice(0, 2)))));
    await expect(all(decodeRows(each([whole.subarray(0, -1)])))).rejects.toThrow(
      'the rows end within an entry',
    );
    whole[8 + encodeKey('batch', 1).length] = 9;
    await expect(all(decodeRows(each([whole])))).rejects.toThrow('has format 9, expected 1');
  });
});
