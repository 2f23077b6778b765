/** Which files a sync of the write-ahead log makes durable: all that may hold what was written. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WalSync } from '../../../../src/storage/database/wal-sync.ts';

let folder = '';
let wal: WalSync;
/** Of the last sync, by name. */
let synced: string[] = [];

const nameOf = (descriptor: number): string => {
  const { ino } = fs.fstatSync(descriptor);
  const names = ['.', ...fs.readdirSync(folder)];
  return names.find((name) => fs.statSync(path.join(folder, name)).ino === ino) ?? 'gone';
};

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gannet-wal-'));
  const note = async (descriptor: number): Promise<void> => void synced.push(nameOf(descriptor));
  wal = new WalSync(folder, { file: note, folder: note });
});
afterEach(() => wal.close());

const write = (name: string): void => fs.writeFileSync(path.join(folder, name), 'x');

async function sync(): Promise<string[]> {
  synced = [];
  await wal.sync();
  return synced.sort();
}

it('every log is synced each time, the folder when one is new', async () => {
  write('000004.log');
  write('000003.sst');
  expect(await sync()).toEqual(['.', '000004.log']);
  expect(await sync()).toEqual(['000004.log']);
});

it('the log before a rotation is synced once more, then only those after it', async () => {
  write('000004.log');
  await sync();
  write('000009.log');
  expect(await sync()).toEqual(['.', '000004.log', '000009.log']);
  expect(await sync()).toEqual(['000009.log']);
  fs.rmSync(path.join(folder, '000004.log'));
  expect(await sync()).toEqual(['000009.log']);
});

it('a log that is gone before it was synced has been flushed elsewhere', async () => {
  write('000004.log');
  await sync();
  fs.rmSync(path.join(folder, '000004.log'));
  expect(await sync()).toEqual(['gone']);
});
