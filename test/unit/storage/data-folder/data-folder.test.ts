/** The data folder: created once, refused when it is newer or another program's, and counted. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { packageVersion } from '../../../../config/version.ts';
import {
  dataFolderAt,
  folderBytes,
  openDataFolder,
} from '../../../../src/storage/data-folder/data-folder.ts';
import {
  checkDataFolder,
  checkVersion,
  DATA_FORMAT,
} from '../../../../src/storage/data-folder/data-folder-check.ts';
import { NewDataFolder } from '../../../../src/storage/data-folder/new-data-folder.ts';
import { FsIndexFiles, folderOfIndex } from '../../../../src/storage/files/index-files.ts';
import { errnoOf, toStorageError } from '../../../../src/storage/files/io-errors.ts';

let parent = '';
let root = '';
beforeEach(() => {
  parent = fs.mkdtempSync(path.join(os.tmpdir(), 'data-folder-'));
  root = path.join(parent, 'deep', 'data');
});
afterEach(() => fs.rmSync(parent, { recursive: true, force: true }));

const version = (text: string) => fs.writeFileSync(path.join(root, 'VERSION'), text);

describe('data folder', () => {
  it('is created with its parts and opens again', async () => {
    const folder = await openDataFolder(root);
    expect(fs.readdirSync(root).sort()).toEqual(['VERSION', 'indexes', 'rocksdb-3', 'spool']);
    expect(fs.readFileSync(path.join(root, 'VERSION'), 'utf8')).toBe('3\n0.1.0\n');
    expect(await openDataFolder(root)).toEqual(folder);
    expect(folder).toEqual(dataFolderAt(root));
  });

  it('opens after a first start that was cut off before the version was written', async () => {
    await openDataFolder(root);
    fs.rmSync(path.join(root, 'VERSION'));
    fs.writeFileSync(path.join(root, 'VERSION.new'), '');
    await openDataFolder(root);
    expect(fs.readdirSync(root).sort()).toEqual(['VERSION', 'indexes', 'rocksdb-3', 'spool']);
  });

  it("is refused when it is newer, older, damaged, or another program's", async () => {
    const folder = await openDataFolder(root);
    version('4\n0.9.0\n');
    await expect(openDataFolder(root)).rejects.toThrow(
      'has data format 4, and this release works with format 3: run release 0.9.0 or a later one',
    );
    version('4');
    await expect(openDataFolder(root)).rejects.toThrow('format 3: run a newer release');
    version('2\n');
    await expect(openDataFolder(root)).rejects.toThrow(
      'has data format 2, and this release works with format 3: start once with `--upgrade-db`',
    );
    checkVersion(root, { mayBeOlder: true });
    version('1\n');
    expect(() => checkVersion(root, { mayBeOlder: true })).toThrow(
      'has data format 1, and this release works with format 3: import its documents into a new data folder',
    );
    version('v1.50.0');
    await expect(openDataFolder(root)).rejects.toThrow(
      'VERSION holds "v1.50.0" where a number is expected',
    );
    fs.rmSync(path.join(root, 'VERSION'));
    expect(() => checkVersion(folder.root)).toThrow('has no data');
    fs.writeFileSync(path.join(root, 'thesis.doc'), '');
    await expect(openDataFolder(root)).rejects.toThrow('has "thesis.doc" but no file VERSION');
  });

  it('without its format is not taken for one of an older format, whose data would go', async () => {
    fs.mkdirSync(path.join(root, 'rocksdb'), { recursive: true });
    await expect(openDataFolder(root)).rejects.toThrow('has "rocksdb" but no file VERSION');
    version('3\n');
    await openDataFolder(root);
    expect(fs.existsSync(path.join(root, 'rocksdb'))).toBe(false);
  });

  it('begins with its format in a release that is not later than this one', () => {
    const ordered = [DATA_FORMAT.since, packageVersion()].sort((a, b) =>
      a.localeCompare(b, 'en', { numeric: true }),
    );
    expect(ordered[0]).toBe(DATA_FORMAT.since);
  });

  it('that a command is to read is refused with what is there instead', () => {
    const advice = 'name the folder that a server has as `--db-path`';
    expect(() => checkVersion(root)).toThrow(`the folder ${root} does not exist: ${advice}`);
    fs.mkdirSync(root, { recursive: true });
    expect(() => checkVersion(root)).toThrow(`${root} has no data, because it has no file VERSION`);
    const file = path.join(root, 'VERSION');
    version('3\n');
    expect(() => checkVersion(file)).toThrow(`${file} is a file: ${advice}`);
    const below = path.join(file, 'data');
    expect(() => checkVersion(below)).toThrow(`the folder ${below} does not exist: ${advice}`);
  });

  it('of a copy is refused where a file is, itself or above', async () => {
    fs.mkdirSync(root, { recursive: true });
    version('');
    const file = path.join(root, 'VERSION');
    for (const place of [file, path.join(file, 'data')])
      await expect(NewDataFolder.claim(place)).rejects.toThrow(`${file} is a file: choose another`);
    expect(fs.readdirSync(root)).toEqual(['VERSION']);
  });

  it('of Meilisearch is refused with what to do about it', () => {
    fs.mkdirSync(path.join(root, 'indexes', '9fd9'), { recursive: true });
    fs.writeFileSync(path.join(root, 'indexes', '9fd9', 'data.mdb'), '');
    version('1.50.0');
    expect(() => checkDataFolder(root)).toThrow(
      /holds the data of Meilisearch 1\.50\.0.*make a dump there.*import it here/,
    );
  });

  it('is refused where a file is, itself or above, and nothing is written', () => {
    const file = path.join(parent, 'file');
    fs.writeFileSync(file, '');
    expect(() => checkDataFolder(file)).toThrow(`${file} is a file`);
    expect(() => checkDataFolder(path.join(file, 'below'))).toThrow(`${file} is a file`);
    checkDataFolder(root);
    expect(fs.readdirSync(parent)).toEqual(['file']);
  });

  it('may be entered by its owner only, also one that was open to others', async () => {
    fs.mkdirSync(root, { recursive: true, mode: 0o755 });
    const folder = await openDataFolder(root);
    for (const part of [folder.root, folder.rocksdb, folder.indexes, folder.spool])
      expect(fs.statSync(part).mode & 0o777, part).toBe(0o700);
  });

  it('counts the bytes of all files below, and 0 for a missing folder', async () => {
    const { indexes } = await openDataFolder(root);
    fs.mkdirSync(path.join(indexes, '3'));
    fs.writeFileSync(path.join(indexes, '3', 'a.seg'), 'x'.repeat(10));
    fs.writeFileSync(path.join(indexes, 'b'), 'xyz');
    expect(await folderBytes(indexes)).toBe(13);
    expect(await folderBytes(path.join(root, 'missing'))).toBe(0);
  });
});

describe('index files', () => {
  it('lists and removes files of segments, unfinished ones too, and folders', async () => {
    const { indexes } = await openDataFolder(root);
    const files = new FsIndexFiles(indexes);
    const folder = folderOfIndex(indexes, 7);
    expect(files.locate(7)).toBe(folder);
    expect(files.locate(7)).toBe(folder);
    for (const name of ['a.seg', 'b.col', 'c.seg.tmp', 'other'])
      fs.writeFileSync(path.join(folder, name), '');
    fs.mkdirSync(path.join(indexes, 'not-a-number'));
    expect(files.indexIds()).toEqual([7]);
    expect(files.fileNames(7).sort()).toEqual(['a.seg', 'b.col', 'c.seg.tmp']);
    expect(files.fileNames(8)).toEqual([]);
    files.removeStartingWith(7, 'c');
    files.removeStartingWith(8, 'a');
    files.syncFolders();
    expect(files.removeFile(7, 'a.seg')).toBe(true);
    expect(files.removeFile(7, 'a.seg')).toBe(true);
    expect(fs.readdirSync(folder)).toEqual(['b.col', 'other']);
    expect(files.removeIndex(7)).toBe(true);
    expect(files.indexIds()).toEqual([]);
  });
});

describe('a folder for which the disk has no room', () => {
  it('is refused by name, with what there is to do', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
    });
    const made = vi.spyOn(fs, 'mkdirSync').mockImplementationOnce(() => {
      throw full;
    });
    try {
      await expect(openDataFolder(root)).rejects.toThrow(
        `data folder ${root} cannot be used: The disk of the data folder is full; free some space (ENOSPC: no space left on device, write).`,
      );
    } finally {
      made.mockRestore();
    }
  });
});

describe('the folder of a new index', () => {
  it('is durable in its parent when it is made, and not synced again', async () => {
    const { indexes } = await openDataFolder(root);
    const opened = vi.spyOn(fs, 'openSync');
    const synced = vi.spyOn(fs, 'fsyncSync');
    try {
      const files = new FsIndexFiles(indexes);
      files.locate(7);
      files.locate(7);
      expect(opened.mock.calls.map(([name]) => name)).toEqual(
        process.platform === 'win32' ? [] : [indexes],
      );
      expect(synced).toHaveBeenCalledTimes(opened.mock.calls.length);
    } finally {
      opened.mockRestore();
      synced.mockRestore();
    }
  });
});

describe('system errors', () => {
  it('get the codes of the error table where it has one', () => {
    const error = (code: string) => Object.assign(new Error(`${code}: failed`), { code });
    expect(toStorageError(error('ENOSPC'))).toMatchObject({
      code: 'no_space_left_on_device',
      status: 422,
    });
    expect(toStorageError(error('EDQUOT'))).toMatchObject({ code: 'no_space_left_on_device' });
    expect(toStorageError(error('ENOSPC'))).toMatchObject({
      message: 'The disk of the data folder is full; free some space (ENOSPC: failed).',
    });
    expect(toStorageError(error('EIO'))).toMatchObject({ code: 'io_error' });
    expect(toStorageError(error('EMFILE'))).toMatchObject({ code: 'too_many_open_files' });
    for (const other of [error('ENOENT'), new Error('x'), 'text', null])
      expect(toStorageError(other)).toBe(other);
    expect(errnoOf(Object.assign(new Error('x'), { code: 5 }))).toBeNull();
  });
});
