/** A file that is written in chunks and synced meanwhile. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { writeSynced } from '../../../../src/storage/files/write-synced.ts';

let file: string;
beforeEach(() => {
  file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'write-synced-')), 'file');
});

async function* of(...chunks: (Uint8Array | Error)[]) {
  for (const chunk of chunks) {
    if (chunk instanceof Error) throw chunk;
    yield chunk;
  }
}

it('replaces a file by all chunks, also when they are synced before the end', async () => {
  fs.writeFileSync(file, 'older content'.repeat(10));
  const chunks = [40, 40, 0, 40, 1].map((mebibytes, i) => Buffer.alloc(mebibytes << 20, i + 1));
  await writeSynced(file, of(...chunks, Buffer.from('end')));
  const expected = createHash('sha256');
  for (const chunk of [...chunks, Buffer.from('end')]) expected.update(chunk);
  const found = createHash('sha256').update(fs.readFileSync(file)).digest('hex');
  expect(found).toBe(expected.digest('hex'));
});

it('fails as its chunks do, and as the file system does', async () => {
  const failure = new Error('the connection broke');
  await expect(writeSynced(file, of(Buffer.from('a'), failure))).rejects.toThrow(failure);
  await expect(writeSynced(path.dirname(file), of())).rejects.toThrow('EISDIR');
});
