/** Spool files: written in chunks, synced, named safely, removed when unused. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { crc32c } from '../../../src/engine/bytes/crc32c.ts';
import { PayloadStore } from '../../../src/storage/payload-store.ts';

/** A name that no file has. */
const OTHER = '00000000-0000-4000-8000-000000000000.payload';

let folder = '';
let store: PayloadStore;
beforeEach(() => {
  folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'payload-')), 'spool');
  store = new PayloadStore(folder);
});
afterEach(() => fs.rmSync(path.dirname(folder), { recursive: true, force: true }));

describe('payload store', () => {
  it('keeps the bytes of all chunks, whose memory may be reused at once', async () => {
    const writer = store.create();
    const chunk = Buffer.from('abc');
    writer.write(chunk);
    chunk.fill(0);
    writer.write(Buffer.from('de'));
    writer.write(new Uint8Array(0));
    expect(writer.bytes).toBe(5);
    const { name, bytes } = await writer.finish();
    expect(bytes).toBe(5);
    expect(name).toMatch(/^[0-9a-f-]{36}\.payload$/);
    expect(Buffer.from(await store.read(name)).toString()).toBe('abcde');
    expect(store.sizeOf(name)).toBe(5);
    expect(store.checksumOf(name)).toBe(crc32c(Buffer.from('abcde')));
    expect(store.checksumOf(OTHER)).toBeNull();
    expect(store.pathOf(name)).toBe(path.join(folder, name));
  });

  it('reads nothing, and breaks nothing, when a request ends before its bytes are read', async () => {
    const writer = store.create();
    writer.write(Buffer.from('abc'));
    const chunks = writer.read();
    writer.abort();
    // An error of a stream to which nothing listens would end the process before these are done.
    for (let i = 0; i < 4; i++) await fs.promises.stat(folder);
    await expect(chunks[Symbol.asyncIterator]().next()).rejects.toThrow('ENOENT');
  });

  it('leaves nothing behind when a request is aborted', () => {
    const writer = store.create();
    writer.write(Buffer.from('abc'));
    writer.abort();
    writer.abort();
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('reports a disk error with its own code', () => {
    const writer = store.create();
    writer.abort();
    expect(() => writer.write(Buffer.from('x'))).toThrow(
      expect.objectContaining({ code: 'EBADF' }),
    );
    fs.rmSync(folder, { recursive: true });
    expect(() => store.create()).toThrow('ENOENT');
  });

  it('refuses names that it cannot have given', async () => {
    for (const name of ['../VERSION', '/etc/passwd', '', 'x.payload', '0'.repeat(36)]) {
      expect(() => store.pathOf(name)).toThrow('not a name of a payload');
      expect(() => store.sizeOf(name)).toThrow('not a name of a payload');
      expect(() => store.remove(name)).toThrow('not a name of a payload');
    }
  });

  it('removes files, also those that are gone', async () => {
    const { name } = await store.create().finish();
    store.remove(name);
    store.remove(name);
    expect(store.sizeOf(name)).toBeNull();
  });

  it('reports a removal once, also when a hold delays it', async () => {
    const reported: string[] = [];
    const heard = new PayloadStore(folder, { removePayload: (name) => reported.push(name) });
    const { name } = await heard.create().finish();
    const release = heard.hold();
    heard.remove(name);
    expect([heard.sizeOf(name), reported]).toEqual([0, [name]]);
    release();
    expect([heard.sizeOf(name), reported]).toEqual([null, [name]]);
  });

  it('removes orphans without a recent write, and nothing else', async () => {
    const names = await Promise.all(
      [1, 2, 3].map(async () => (await store.create().finish()).name),
    );
    const [named, young, old] = names as [string, string, string];
    const longAgo = new Date(Date.now() - 60_000);
    for (const name of [named, old]) fs.utimesSync(store.pathOf(name), longAgo, longAgo);
    fs.writeFileSync(path.join(folder, 'notes.txt'), '');
    expect(store.removeOrphans(new Set([named]), 30_000, Date.now())).toEqual([old]);
    expect(fs.readdirSync(folder).sort()).toEqual([named, young, 'notes.txt'].sort());
  });
});
