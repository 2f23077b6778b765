/** Locations lead a thread to files: those of a folder, or those it has written into memory. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { locationOpener } from '../../../../src/storage/files/open-location.ts';

const bytes = Uint8Array.of(1, 2, 3);

describe('locationOpener', () => {
  it('finds the files of a folder again, from any opener', () => {
    const path = mkdtempSync(join(tmpdir(), 'gannet-location-'));
    locationOpener()({ kind: 'folder', path }).create('a.seg', [bytes]);
    const file = locationOpener()({ kind: 'folder', path }).open('a.seg');
    expect([...file.bytes]).toEqual([...bytes]);
    file.close();
    rmSync(path, { recursive: true });
  });

  it('keeps what is in memory apart by name, and to itself', () => {
    const open = locationOpener();
    open({ kind: 'memory', name: 'a' }).create('a.seg', [bytes]);
    expect(open({ kind: 'memory', name: 'a' }).list()).toEqual(['a.seg']);
    expect(open({ kind: 'memory', name: 'b' }).list()).toEqual([]);
    expect(locationOpener()({ kind: 'memory', name: 'a' }).list()).toEqual([]);
  });
});
