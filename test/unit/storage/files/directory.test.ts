/**
 * Goal: both directories keep the port's promises; the mapped one also survives reopening many
 * times.
 */
import { existsSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryDirectory } from '../../../../load-tests/bench/memory-directory.ts';
import type { Directory } from '../../../../src/engine/segment/directory.ts';
import { readDescriptor } from '../../../../src/storage/files/file-mapping.ts';
import { FsDirectory, firstBytes } from '../../../../src/storage/files/fs-directory.ts';

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gannet-directory-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  ['FsDirectory', (): Directory => new FsDirectory(folder)],
  ['MemoryDirectory', (): Directory => new MemoryDirectory()],
])('%s', (_name, open) => {
  it('gives back the bytes of all parts in order', () => {
    const directory = open();
    directory.create('a.seg', [bytes(1, 2), bytes(), bytes(3), new Uint8Array(100_000).fill(7)]);
    const file = directory.open('a.seg');
    expect(file.name).toBe('a.seg');
    expect(file.bytes.length).toBe(100_003);
    expect(file.bytes.byteOffset % 8).toBe(0);
    expect([...file.bytes.subarray(0, 4)]).toEqual([1, 2, 3, 7]);
    file.close();
    file.close();
  });

  it('lists names in order, without removed ones', () => {
    const directory = open();
    for (const name of ['c', 'a', 'b']) directory.create(name, [bytes(1)]);
    directory.remove('b');
    directory.remove('not-there');
    expect(directory.list()).toEqual(['a', 'c']);
  });

  it('refuses a name that exists and leaves the file alone', () => {
    const directory = open();
    directory.create('a', [bytes(1)]);
    expect(() => directory.create('a', [bytes(2)])).toThrow('exists');
    expect([...directory.open('a').bytes]).toEqual([1]);
  });

  it('throws when a file is not there', () => {
    expect(() => open().open('none')).toThrow();
  });

  it('opens an empty file', () => {
    const directory = open();
    directory.create('a', []);
    expect(directory.open('a').bytes.length).toBe(0);
  });

  it('takes more parts than one system call does', () => {
    const directory = open();
    const parts = Array.from({ length: 1500 }, (_, i) => bytes(i & 0xff));
    directory.create('a', parts);
    expect([...directory.open('a').bytes]).toEqual(parts.map((part) => part[0]));
  });
});

describe('FsDirectory', () => {
  it('writes several files at once', () => {
    const directory = new FsDirectory(folder);
    directory.createMany([
      { name: 'a', parts: [bytes(1)] },
      { name: 'b', parts: [bytes(2)] },
    ]);
    expect(directory.list()).toEqual(['a', 'b']);
  });

  it('leaves nothing behind when a write fails', () => {
    const directory = new FsDirectory(folder);
    expect(() =>
      directory.createMany([
        { name: 'a', parts: [bytes(1)] },
        { name: 'no/such/folder', parts: [bytes(2)] },
      ]),
    ).toThrow();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('does not list the temporary files of a crash', () => {
    writeFileSync(join(folder, 'x.seg.tmp'), 'half');
    expect(new FsDirectory(folder).list()).toEqual([]);
  });

  it('does not make its folder, so that a late reader does not bring back a deleted index', () => {
    const missing = join(folder, 'deleted');
    const directory = new FsDirectory(missing);
    expect(() => directory.open('a')).toThrow('ENOENT');
    expect(() => directory.create('a', [bytes(1)])).toThrow('ENOENT');
    expect(() => directory.list()).toThrow('ENOENT');
    expect(existsSync(missing)).toBe(false);
  });

  it('maps and unmaps the same file thousands of times', () => {
    const directory = new FsDirectory(folder);
    directory.create('a', [new Uint8Array(20_000).fill(9)]);
    for (let i = 0; i < 3000; i++) {
      const file = directory.open('a');
      expect(file.bytes[19_999]).toBe(9);
      file.close();
    }
  });

  it('maps files next to each other, and reuses addresses of closed ones', async () => {
    const directory = new FsDirectory(folder);
    for (let i = 0; i < 8; i++)
      directory.create(`f${i}`, [new Uint8Array(i % 4 < 2 ? 70_000 : 1_100_000).fill(i)]);
    const opened = Array.from({ length: 8 }, (_, i) => directory.open(`f${i}`));
    const places = opened.map((file) => file.bytes.byteOffset);
    for (let i = 0; i < 8; i += 2) opened[i]!.close();
    const placeOf = (name: string): number => {
      const { bytes: again, close } = directory.open(name);
      close();
      return again.byteOffset;
    };
    await expect.poll(() => placeOf('f1')).toBe(places[0]);
    await expect.poll(() => placeOf('f3')).toBe(places[2]);
    for (let i = 1; i < 8; i += 2) {
      const { bytes: own } = opened[i]!;
      expect([own[0], own[own.length - 1]]).toEqual([i, i]);
      expect(own.buffer).toBe(opened[1]!.bytes.buffer);
    }
  });

  it('keeps a mapping readable after the file is removed', () => {
    const directory = new FsDirectory(folder);
    directory.create('a', [bytes(5)]);
    const file = directory.open('a');
    directory.remove('a');
    expect(file.bytes[0]).toBe(5);
    file.close();
  });
});

describe('readDescriptor', () => {
  it('reads a whole file into memory, and refuses one that is shorter than expected', () => {
    writeFileSync(join(folder, 'a'), 'hello');
    const descriptor = openSync(join(folder, 'a'), 'r');
    expect(Buffer.from(readDescriptor(descriptor, 5).bytes).toString()).toBe('hello');
    expect(() => readDescriptor(descriptor, 6)).toThrow('ended');
  });
});

describe('firstBytes', () => {
  const parts = [bytes(1, 2, 3), bytes(4, 5), bytes(6)];
  const taken = (bytesMax: number) => firstBytes(parts, bytesMax).map((part) => [...part]);

  it('takes whole parts as long as there is room', () => {
    expect(taken(100)).toEqual([[1, 2, 3], [4, 5], [6]]);
    expect(taken(5)).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
  });

  it('cuts the part that goes beyond', () => {
    expect(taken(4)).toEqual([[1, 2, 3], [4]]);
    expect(taken(2)).toEqual([[1, 2]]);
  });
});
