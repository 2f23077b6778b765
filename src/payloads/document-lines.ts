/** Documents of a stored payload as NDJSON, in pieces. */
import { setImmediate as turn } from 'node:timers/promises';
import { ByteBuffer } from '../engine/json/byte-buffer.ts';
import { compactInto } from '../engine/json/compact-json.ts';
import { PayloadReader } from '../engine/json/payload-reader.ts';
import type { PayloadFormat } from '../model/task.ts';

/** Approximate bytes per piece, which is read between two turns of the event loop. */
const PIECE_BYTES = 65_536;

/** @param bytes a checked payload */
export async function* documentLines(
  bytes: Uint8Array,
  format: PayloadFormat,
): AsyncGenerator<Uint8Array> {
  const reader = new PayloadReader(bytes, format);
  const lines = new ByteBuffer();
  while (reader.next()) {
    compactInto(reader.tape, lines);
    lines.pushText('\n');
    if (lines.length < PIECE_BYTES) continue;
    yield lines.copy();
    lines.clear();
    await turn();
  }
  if (lines.length > 0) yield lines.copy();
}
