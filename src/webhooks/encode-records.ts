/** The body of a delivery: one task record per line, compressed. */
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { TaskRecord } from '../model/task.ts';

/** Records encoded per turn of the event loop, to keep other work responsive. */
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
