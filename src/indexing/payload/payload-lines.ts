/** The documents of a payload, one per line. */
import { ByteBuffer } from '../../engine/bytes/byte-buffer.ts';
import { compactInto } from '../../engine/json/compact-json.ts';
import { PayloadReader } from '../../engine/json/payload-reader.ts';

/** @param bytes of a payload that has been checked */
export function linesOfPayload(bytes: Uint8Array, format: 'json' | 'ndjson'): Uint8Array {
  const reader = new PayloadReader(bytes, format);
  const lines = new ByteBuffer();
  while (reader.next()) {
    compactInto(reader.tape, lines);
    lines.pushText('\n');
  }
  return lines.copy();
}
