/** Spool files of a front: checked while they are synced; what cannot be used leaves no file. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import { crc32c } from '../../../src/engine/bytes/crc32c.ts';
import type {
  CheckedFile,
  FilterCheckTask,
  PayloadCheckTask,
} from '../../../src/ipc/threads/payload-pool.ts';
import { NO_FEATURES } from '../../../src/model/features.ts';
import { FrontPayloads } from '../../../src/payloads/front-payloads.ts';
import { PayloadStore } from '../../../src/storage/payload-store.ts';

let folder = '';
let store: PayloadStore;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'front-payloads-'));
  store = new PayloadStore(folder);
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const options = { format: 'ndjson', csvDelimiter: ',' } as const;
const payloadsWith = (check: (task: PayloadCheckTask) => Promise<CheckedFile>) =>
  new FrontPayloads(store, { check, selects: () => Promise.reject(new Error('no long filter')) });

describe('a spool file', () => {
  it('has all its bytes when it is checked, and is named when it is checked and synced', async () => {
    let seen = '';
    const payloads = payloadsWith(async ({ name }) => {
      seen = fs.readFileSync(store.pathOf(name), 'utf8');
      return { converted: null, format: 'ndjson', documentCount: 2 };
    });
    const spool = payloads.createSpool();
    spool.write(Buffer.from('{"id":1}\n'));
    spool.write(Buffer.from('{"id":2}'));
    const { payload, documentCount } = await spool.finish(options);
    expect(seen).toBe('{"id":1}\n{"id":2}');
    expect(documentCount).toBe(2);
    const [name] = fs.readdirSync(folder);
    expect(payload).toEqual({ kind: 'file', name, bytes: 17, crc32c: crc32c(Buffer.from(seen)) });
  });

  it('that is refused fails with what is wrong with it', async () => {
    const payloads = payloadsWith(async ({ name }) => {
      store.remove(name);
      throw new ApiError('malformed_payload', 'no JSON');
    });
    const spool = payloads.createSpool();
    spool.write(Buffer.from('x'));
    await expect(spool.finish(options)).rejects.toMatchObject({ code: 'malformed_payload' });
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('that cannot be synced fails with the error of the disk and leaves no converted file', async () => {
    const payloads = payloadsWith(async () => {
      const converted = store.create();
      return { converted: await converted.finish(), format: 'ndjson', documentCount: 1 };
    });
    const writer = store.create();
    vi.spyOn(writer, 'finish').mockImplementation(async () => {
      writer.abort();
      throw Object.assign(new Error('i/o error'), { code: 'EIO' });
    });
    vi.spyOn(store, 'create').mockReturnValueOnce(writer);
    const spool = payloads.createSpool();
    spool.write(Buffer.from('id\n1'));
    await expect(spool.finish({ ...options, format: 'csv' })).rejects.toMatchObject({
      code: 'EIO',
    });
    expect(fs.readdirSync(folder)).toEqual([]);
  });
});

it('checks short filters of tasks at once, and long ones in the thread', async () => {
  const asked: FilterCheckTask[] = [];
  const selects = async (task: FilterCheckTask) => asked.push(task) > 0;
  const check = () => Promise.reject(new Error('no payload'));
  const payloads = new FrontPayloads(store, { check, selects });
  const code = 'invalid_document_filter';
  const filter = (form: string) => ({ form, features: NO_FEATURES });
  expect(await payloads.selects(filter('a = 1'), code)).toBe(true);
  expect(await payloads.selects(filter(' '), code)).toBe(false);
  await expect(payloads.selects(filter('a ='), code)).rejects.toMatchObject({ code });
  expect(asked).toEqual([]);
  const long = filter(`a = ${'1'.repeat(10_000)}`);
  expect(await payloads.selects(long, code)).toBe(true);
  expect(asked).toEqual([{ filter: long, code }]);
});

it('keeps no file of a payload in memory that grows and does not fit on the disk', async () => {
  const writer = store.create();
  vi.spyOn(writer, 'write').mockImplementation(() => {
    throw new ApiError('no_space_left_on_device', 'full');
  });
  vi.spyOn(store, 'create').mockReturnValueOnce(writer);
  const sent = Buffer.from(`id\n${'1\n'.repeat(20_000)}`);
  const stored = payloadsWith(() => Promise.reject(new Error('the thread was asked')));
  await expect(stored.checkInline(sent, { ...options, format: 'csv' })).rejects.toThrow('full');
  expect(fs.readdirSync(folder)).toEqual([]);
});
