/** The body of a delivery: a task record a line, compressed. */
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { TaskRecord } from '../model/task.ts';

/** Records that are made text at once: what waits for a turn of the loop meanwhile waits shortly. */
const PAGE = 500;

export async function encodeRecords(records: readonly TaskRecord[]): Promise<Uint8Array> {
  const compressed = Readable.from(pages(records)).pipe(createGzip());
  return Buffer.concat(await compressed.toArray());
}

function* pages(records: readonly TaskRecord[]): Generator<Buffer> {
  for (let at = 0; at < records.length; at += PAGE) {
    const lines = records.slice(at, at + PAGE).map((record) => `${JSON.stringify(record)}\n`);
    yield Buffer.from(lines.join(''));
  }
}
