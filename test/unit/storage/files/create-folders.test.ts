/** Folders are created with their parents, or their error is thrown. */
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createFolders } from '../../../../src/storage/files/create-folders.ts';

const folder = mkdtempSync(join(tmpdir(), 'gannet-folders-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('createFolders', () => {
  it('creates what is missing, with the mode, and leaves what is there', () => {
    const deep = join(folder, 'a', 'b', 'c');
    createFolders(deep, 0o700);
    createFolders(deep, 0o755);
    expect(statSync(deep).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700);
  });

  it('throws where a file is in the way', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => createFolders(join(folder, 'file', 'x'))).toThrow(/ENOTDIR/);
  });

  it.runIf(existsSync('/proc/self'))('throws where the system allows no folder', () => {
    expect(() => createFolders('/proc/gannet/data')).toThrow(/ENOENT|EACCES/);
  });
});
