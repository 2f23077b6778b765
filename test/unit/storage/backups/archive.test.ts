/** Archives of backups: what comes back, and what is refused. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import tar from 'tar-stream';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ArchiveWriter,
  DEFAULT_UNPACK_LIMITS,
  unpackArchive,
} from '../../../../src/storage/backups/archive.ts';
import { isLongRun } from '../../../support/run-length.ts';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'archive-'));
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

let folder = '';
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(root, 'case-'));
  fs.mkdirSync(path.join(folder, 'out'));
});
const at = (name: string) => path.join(folder, name);

const unpack = (wants = (_: string) => true, limits = DEFAULT_UNPACK_LIMITS) =>
  unpackArchive(at('a.dump'), at('out'), {
    wants,
    limits,
    isSynced: false,
    onBytes: () => undefined,
  });

type Header = Omit<tar.Headers, 'size'> & { readonly size?: number };

/** An archive of these members, whatever they are. */
async function pack(...members: readonly (readonly [Header, string?])[]): Promise<void> {
  const archive = tar.pack();
  for (const [header, text = ''] of members) archive.entry(header as tar.Headers, text);
  archive.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive) chunks.push(chunk as Uint8Array);
  fs.writeFileSync(at('a.dump'), gzipSync(Buffer.concat(chunks)));
}

const below = () => fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

describe('an archive', () => {
  it('brings back the bytes that were put in, with their checksums', async () => {
    fs.writeFileSync(at('large'), Buffer.alloc(3_000_000, 'ab'));
    const writer = new ArchiveWriter(at('a.dump'), { compression: 6, mode: 0o400 });
    await writer.addBytes('small', Buffer.from('some text'));
    const sha256 = await writer.addFile('folder/large', at('large'));
    await writer.finish();
    const files = await unpack();
    expect(files.map(({ name, bytes }) => [name, bytes])).toEqual([
      ['small', 9],
      ['folder/large', 3_000_000],
    ]);
    expect(files[1]?.sha256).toBe(sha256);
    expect(fs.readFileSync(at('out/small'), 'utf8')).toBe('some text');
    expect(fs.readFileSync(at('out/folder/large')).equals(fs.readFileSync(at('large')))).toBe(true);
    expect(fs.statSync(at('a.dump')).mode & 0o777).toBe(0o400);
  });

  it('may have names that are too long for a file system', async () => {
    const long = `indexes/${'x'.repeat(400)}`;
    await pack([{ name: `${long}/a` }, 'one'], [{ name: `${long}y/a` }, 'two']);
    const files = await unpack();
    expect(files.map(({ name }) => name)).toEqual([`${long}/a`, `${long}y/a`]);
    expect(files.map((file) => fs.readFileSync(file.path, 'utf8'))).toEqual(['one', 'two']);
  });

  it('that cannot be unpacked says why', async () => {
    await pack([{ name: 'folder' }, 'a file'], [{ name: 'folder/file' }, 'x']);
    await expect(unpack()).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it('that is aborted leaves nothing', async () => {
    const writer = new ArchiveWriter(at('a.dump'), { compression: 6, mode: 0o400 });
    await writer.addBytes('small', Buffer.from('some text'));
    await writer.abort();
    expect(below()).toEqual(['out']);
  });

  it('that cannot be synced leaves no file and no open descriptor', async () => {
    const writer = new ArchiveWriter(at('a.dump'), { compression: 6, mode: 0o400 });
    await writer.addBytes('small', Buffer.from('some text'));
    const { open } = fs.promises;
    const handles: fs.promises.FileHandle[] = [];
    const spy = vi.spyOn(fs.promises, 'open').mockImplementation(async (...given) => {
      const handle = await open(...given);
      handles.push(handle);
      return Object.assign(handle, { sync: () => Promise.reject(new Error('EIO')) });
    });
    await expect(writer.finish()).rejects.toThrow('EIO');
    spy.mockRestore();
    expect(handles.map(({ fd }) => fd)).toEqual([-1]);
    expect(below()).toEqual(['out']);
  });

  it('that cannot be written rejects further additions', async () => {
    const writer = new ArchiveWriter(at('missing/a.dump'), { compression: 6, mode: 0o400 });
    const adding = writer.addBytes('large', Buffer.alloc(1 << 22));
    await expect(adding.then(() => writer.finish())).rejects.toThrow(/ENOENT/);
  });
});

describe('reading an archive', () => {
  it('skips metadata entries of archivers, and unrequested files', async () => {
    await pack(
      [{ name: './', type: 'directory' }],
      [{ name: './a/._b' }, 'x'],
      [{ name: 'PaxHeaders.12/b' }, 'x'],
      [{ name: './a/b' }, 'kept'],
      [{ name: 'c' }, 'not wanted'],
    );
    const files = await unpack((name) => name !== 'c');
    expect(files.map(({ name }) => name)).toEqual(['a/b']);
    expect(below()).toEqual(['a.dump', 'out', 'out/a', 'out/a/b']);
  });

  it.each<readonly [string, Header]>([
    ['a path out of the folder', { name: '../evil' }],
    ['a path out of the folder further on', { name: 'a/../../evil' }],
    ['an absolute path', { name: '/tmp/evil' }],
    ['a path of another system', { name: 'C:\\evil' }],
    ['a backslash', { name: 'a\\..\\evil' }],
    ['a symbolic link', { name: 'link', type: 'symlink', linkname: '/etc/passwd' }],
    ['a hard link', { name: 'link', type: 'link', linkname: '/etc/passwd' }],
    ['a device', { name: 'zero', type: 'character-device', devmajor: 1, devminor: 5 }],
    ['a block device', { name: 'disk', type: 'block-device', devmajor: 8, devminor: 0 }],
    ['a pipe', { name: 'pipe', type: 'fifo' }],
  ])('refuses %s, even if unrequested', async (_, header) => {
    await pack([{ name: 'metadata.json' }, '{}'], [header]);
    await expect(unpack((name) => name === 'metadata.json')).rejects.toThrow(/is not imported/);
    expect(
      below().filter((name) => !['a.dump', 'out', 'out/metadata.json'].includes(name)),
    ).toEqual([]);
  });

  it('refuses the same file twice', async () => {
    await pack([{ name: 'a' }, '1'], [{ name: './a' }, '2']);
    await expect(unpack()).rejects.toThrow(/holds "a" twice/);
  });

  it('refuses files that unpack to too many bytes, even if unrequested', async () => {
    await pack([{ name: 'a' }, 'x'.repeat(2_000_000)], [{ name: 'b' }, 'x'.repeat(2_000_000)]);
    const limits = { ...DEFAULT_UNPACK_LIMITS, bytesMax: 3_000_000 };
    const refusal = /unpacks to more than 2\.86 MiB, which `--import-size-limit` raises/;
    await expect(unpack(undefined, limits)).rejects.toThrow(refusal);
    await expect(unpack(() => false, limits)).rejects.toThrow(refusal);
    expect(await unpack(() => false, { ...limits, bytesMax: 5_000_000 })).toEqual([]);
  });

  it('refuses too many files and folders, even if unrequested', async () => {
    const members = Array.from({ length: 50 }, (_, i): [Header] => [{ name: `${i}` }]);
    await pack(...members, [{ name: 'folder', type: 'directory' }]);
    const limits = { ...DEFAULT_UNPACK_LIMITS, entriesMax: 50 };
    const refusal = /holds more than 50 files and folders, which `--import-entry-limit` raises/;
    await expect(unpack(() => false, limits)).rejects.toThrow(refusal);
    expect(await unpack(() => false, { ...limits, entriesMax: 51 })).toEqual([]);
  });

  it('refuses headers that would fill the memory', async () => {
    const pax = { comment: 'x'.repeat(6 << 20) };
    await pack([{ name: 'a', pax } as Header, 'text']);
    await expect(unpack()).rejects.toThrow(/holds a header of more than 4 MiB/);
  });

  it.runIf(isLongRun)('refuses a gigabyte of zeros that compresses to a megabyte', async () => {
    const zeros = gzipSync(Buffer.alloc(64 << 20), { level: 1 });
    await pack([{ name: 'a' }, 'x'.repeat(512)]);
    // Members of gzip one after the other are one stream; the header says how long the file is.
    const header = gunzipSync(fs.readFileSync(at('a.dump'))).subarray(0, 512);
    header.write(`${(1280 << 20).toString(8).padStart(11, '0')}\0`, 124);
    header.write('        ', 148);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    fs.writeFileSync(at('a.dump'), Buffer.concat([gzipSync(header), ...Array(20).fill(zeros)]));
    await expect(unpack(() => false)).rejects.toThrow(/unpacks to more than 1\.\d\d GiB/);
  });

  it('refuses what is cut off, wherever', async () => {
    await pack([{ name: 'a' }, 'text '.repeat(10_000)]);
    const whole = fs.readFileSync(at('a.dump'));
    for (let i = 0; i < 10; i++) {
      fs.writeFileSync(at('a.dump'), whole.subarray(0, Math.floor((whole.length * i) / 10)));
      fs.rmSync(at('out'), { recursive: true });
      fs.mkdirSync(at('out'));
      await expect(unpack(), `${i} tenths`).rejects.toThrow(
        /is damaged, or not a gzip-compressed tar archive/,
      );
    }
  });

  it('refuses other files', async () => {
    fs.writeFileSync(at('a.dump'), 'no archive at all');
    await expect(unpack()).rejects.toThrow(/is damaged, or not a gzip-compressed tar archive/);
    fs.writeFileSync(at('a.dump'), gzipSync(Buffer.alloc(2000, 'x')));
    await expect(unpack()).rejects.toThrow(/is damaged, or not a gzip-compressed tar archive/);
  });
});
