/** What is noted of sound files is read back, and no change of a file goes unseen. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataFolderAt } from '../../../../src/storage/data-folder/data-folder.ts';
import { VerifiedFiles } from '../../../../src/storage/files/verified-files.ts';
import { temporaryFolder } from '../../../support/indexer-harness.ts';

function setUp() {
  const folder = dataFolderAt(temporaryFolder());
  const file = path.join(folder.indexes, '7', 'a.seg');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, 'sound bytes');
  return { folder, file, sound: new VerifiedFiles(folder) };
}

describe('VerifiedFiles', () => {
  it('reads what it wrote, and nothing where nothing or something else was written', () => {
    const { folder, sound } = setUp();
    expect(sound.read()).toEqual(new Map());
    const states = new Map([['7/a.seg', '1 2 3 4']]);
    sound.write(states);
    expect(new VerifiedFiles(folder).read()).toEqual(states);
    fs.writeFileSync(path.join(folder.root, 'verified-files.json'), '{"7/a.seg": "1 2');
    expect(sound.read()).toEqual(new Map());
    fs.writeFileSync(path.join(folder.root, 'verified-files.json'), 'null');
    expect(sound.read()).toEqual(new Map());
  });

  it('gives another state once bytes change, even when size and time of the write do not', () => {
    const { file, sound } = setUp();
    const before = sound.stateOf(7, 'a.seg');
    expect(before).toMatch(/^\d+ 11 \d+ \d+$/);
    expect(sound.stateOf(7, 'a.seg')).toBe(before);
    const { atime, mtime } = fs.statSync(file);
    let after: string | null = before;
    // The system counts times in steps of some milliseconds.
    while (after === before) {
      fs.writeFileSync(file, 'other bytes', { flag: 'r+' });
      fs.utimesSync(file, atime, mtime);
      after = sound.stateOf(7, 'a.seg');
    }
    expect(after).not.toBeNull();
  });

  it('gives another state for a copy, and none for a file that is gone', () => {
    const { file, sound } = setUp();
    const before = sound.stateOf(7, 'a.seg');
    fs.copyFileSync(file, `${file}.copy`);
    fs.renameSync(`${file}.copy`, file);
    expect(sound.stateOf(7, 'a.seg')).not.toBe(before);
    fs.rmSync(file);
    expect(sound.stateOf(7, 'a.seg')).toBeNull();
  });
});
