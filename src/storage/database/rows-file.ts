/**
 * Entries of a database as one stream of bytes, with the format versions of their values:
 *
 *   per entry: u32 length of the key, u32 length of the value (little-endian), key, stored value
 */
import type { Entry } from './key-value-store.ts';
import { STORE_VALUES } from './value-formats.ts';

const LENGTHS_BYTES = 8;
const CHUNK_BYTES = 1 << 20;

/** @param onEntry called for each entry when its bytes are in a chunk */
export async function* encodeRows(
  entries: AsyncIterable<Entry>,
  onEntry: () => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const { key, value } of entries) {
    const stored = STORE_VALUES.encode(key, value);
    const lengths = Buffer.alloc(LENGTHS_BYTES);
    lengths.writeUInt32LE(key.length, 0);
    lengths.writeUInt32LE(stored.length, 4);
    parts.push(lengths, key, stored);
    bytes += LENGTHS_BYTES + key.length + stored.length;
    onEntry();
    if (bytes < CHUNK_BYTES) continue;
    yield Buffer.concat(parts);
    parts = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(parts);
}

/** @throws if the stream ends within an entry, or a value has another format */
export async function* decodeRows(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  let left = Buffer.alloc(0);
  for await (const chunk of chunks) {
    left = left.length === 0 ? Buffer.from(chunk) : Buffer.concat([left, chunk]);
    let at = 0;
    for (;;) {
      const end = endOfEntry(left, at);
      if (end === null || end > left.length) break;
      const from = at + LENGTHS_BYTES;
      const split = from + left.readUInt32LE(at);
      const key = new Uint8Array(left.subarray(from, split));
      yield { key, value: STORE_VALUES.decode(key, new Uint8Array(left.subarray(split, end))) };
      at = end;
    }
    left = left.subarray(at);
  }
  if (left.length > 0) throw new Error('the rows end within an entry');
}

/** null if the lengths of the entry are not complete. */
function endOfEntry(bytes: Buffer, at: number): number | null {
  if (at + LENGTHS_BYTES > bytes.length) return null;
  return at + LENGTHS_BYTES + bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4);
}
