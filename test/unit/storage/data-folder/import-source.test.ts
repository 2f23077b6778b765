/** When a start begins with a backup. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { importSource } from '../../../../src/storage/data-folder/import-source.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'import-source-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const file = path.join(folder, 'a.dump');
fs.writeFileSync(file, '');
const used = path.join(folder, 'used');
fs.mkdirSync(used);
fs.writeFileSync(path.join(used, 'VERSION'), '2\n');
const fresh = path.join(folder, 'fresh');

const nothing = {
  importDump: null,
  ignoreMissingDump: false,
  ignoreDumpIfDbExists: false,
  importSnapshot: null,
  ignoreMissingSnapshot: false,
  ignoreSnapshotIfDbExists: false,
};
const log = { info: () => undefined };

describe('a start', () => {
  it('goes on with its data folder when no backup is named', () => {
    expect(importSource({ ...nothing, dbPath: used }, log)).toBeNull();
  });

  it('begins with the dump where there is no data', () => {
    const options = { ...nothing, dbPath: fresh, importDump: file };
    expect(importSource(options, log)).toEqual({ kind: 'dump', file });
  });

  it('begins with a snapshot likewise', () => {
    const options = { ...nothing, importSnapshot: file };
    const source = { kind: 'snapshot', file };
    expect(importSource({ ...options, dbPath: fresh }, log)).toEqual(source);
    expect(() => importSource({ ...options, dbPath: used }, log)).toThrow(
      /--ignore-snapshot-if-db-exists/,
    );
    const ignoring = { ...options, dbPath: used, ignoreSnapshotIfDbExists: true };
    expect(importSource(ignoring, log)).toBeNull();
  });

  it('refuses to import into data, unless that is to be ignored', () => {
    const options = { ...nothing, dbPath: used, importDump: file };
    expect(() => importSource(options, log)).toThrow(/--ignore-dump-if-db-exists/);
    expect(importSource({ ...options, ignoreDumpIfDbExists: true }, log)).toBeNull();
  });

  it('refuses a missing dump, unless that is to be ignored', () => {
    const options = { ...nothing, dbPath: fresh, importDump: path.join(folder, 'none.dump') };
    expect(() => importSource(options, log)).toThrow(/none.dump does not exist/);
    expect(importSource({ ...options, ignoreMissingDump: true }, log)).toBeNull();
  });

  it('names no options to `gannet restore`, which has none of them', () => {
    const options = { ...nothing, importDump: file };
    const messageOf = (more: { dbPath: string; importDump?: string }): string => {
      try {
        importSource({ ...options, ...more }, log, { namesOptions: false });
      } catch (error) {
        return (error as Error).message;
      }
      return '';
    };
    const none = path.join(folder, 'none.dump');
    expect(messageOf({ dbPath: fresh, importDump: none })).toBe(`the dump ${none} does not exist`);
    const message = messageOf({ dbPath: used });
    expect(message).toContain('already has data');
    expect(message).not.toContain('--ignore');
  });
});
