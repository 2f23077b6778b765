/** Checksums of binaries: a changed file, an unknown file and a missing folder are found. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checksumsIn, differences } from '../../../scripts/lib/binaries.mjs';

const folderOf = (files: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'gannet-binaries-'));
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
  return folder;
};

it('finds no difference between the same files, and ignores files of other kinds', () => {
  const recorded = checksumsIn(folderOf({ 'a.node': 'a', 'b.node': 'b', 'read.me': 'x' }));
  expect(Object.keys(recorded)).toEqual(['a.node', 'b.node']);
  expect(differences(recorded, checksumsIn(folderOf({ 'a.node': 'a' })), 'the record')).toEqual([]);
});

it('names each file that differs and each file that is not recorded', () => {
  const recorded = checksumsIn(folderOf({ 'a.node': 'a' }));
  const installed = checksumsIn(folderOf({ 'a.node': 'A', 'c.node': 'c' }));
  expect(differences(recorded, installed, 'the record')).toEqual([
    'a.node differs from the record',
    'c.node is not in the record',
  ]);
});

it('takes no binaries for a difference', () => {
  expect(differences({}, {}, 'the record')).toEqual(['no binary is installed']);
});
