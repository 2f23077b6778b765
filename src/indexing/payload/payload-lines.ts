/**
 * The documents of a stored payload as lines, in pieces: the event loop has a turn after each, so
 * that large payloads take no memory and delay nothing.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { ByteBuffer } from '../../engine/bytes/byte-buffer.ts';
import { compactInto } from '../../engine/json/compact-json.ts';
import { PayloadReader } from '../../engine/json/payload-reader.ts';
import { checkInTurns, type PayloadFile, type PayloadOnDisk } from './open-payloads.ts';

type Format = 'json' | 'ndjson';

/** Approximate bytes per piece. */
const PIECE_BYTES = 65_536;

/** @param bytes of a payload that was checked when it was stored */
export async function* documentLines(
  bytes: Uint8Array,
  format: Format,
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

/** The same for a file. @param stored its bytes are verified first @throws CorruptionError */
export async function* linesOfFile(
  open: () => PayloadFile,
  format: Format,
  stored: PayloadOnDisk | null = null,
): AsyncGenerator<Uint8Array> {
  const file = open();
  try {
    if (stored !== null) await checkInTurns(stored, file.bytes);
    yield* documentLines(file.bytes, format);
  } finally {
    file.close();
  }
}
