/** Bodies of requests that go to the node that writes. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { SpooledBytes } from '../../../src/api/spooled-bytes.ts';
import { limits } from '../../../src/core/limits.ts';
import { FrontPayloads } from '../../../src/payloads/front-payloads.ts';
import { PayloadStore } from '../../../src/storage/payload-store.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'forwarded-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const payloads = new FrontPayloads(new PayloadStore(folder), {
  check: () => Promise.reject(new Error('a forwarded body is not checked')),
  selects: () => Promise.reject(new Error('no filter is checked')),
});

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const read: Uint8Array[] = [];
  for await (const chunk of chunks) read.push(chunk);
  return Buffer.concat(read).toString();
}

it('keeps a short body in memory', () => {
  const body = new SpooledBytes(payloads);
  for (const part of ['[', '{}', ']']) body.write(Buffer.from(part));
  expect(Buffer.from(body.content() as Uint8Array).toString()).toBe('[{}]');
  expect(fs.readdirSync(folder)).toEqual([]);
  body.abort();
});

it('keeps a longer one in a file that is read once for each attempt, and deleted', async () => {
  const body = new SpooledBytes(payloads);
  const part = 'x'.repeat(limits.inlinePayloadBytesMax / 2 + 1);
  const chunk = Buffer.from(part);
  body.write(chunk);
  chunk.fill('y');
  body.write(Buffer.from(part));
  body.write(Buffer.from('end'));
  const content = body.content();
  if (content instanceof Uint8Array) throw new Error('the body is in memory');
  const whole = `${part}${part}end`;
  expect(content.bytes).toBe(whole.length);
  expect(await readAll(content.chunks())).toBe(whole);
  expect(await readAll(content.chunks())).toBe(whole);
  expect(fs.readdirSync(folder)).toHaveLength(1);
  body.abort();
  expect(fs.readdirSync(folder)).toEqual([]);
});
