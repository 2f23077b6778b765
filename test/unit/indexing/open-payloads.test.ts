/** Payload files stay open within a budget and are never closed while they are read. */
import { describe, expect, it } from 'vitest';
import { OpenPayloads } from '../../../src/indexing/payload/open-payloads.ts';

const file = (path: string) => ({ path, bytes: 2, crc32c: 0 });

class Files {
  readonly open = new Map<string, number>();
  openings = 0;
  openFile(path: string) {
    this.openings += 1;
    this.open.set(path, (this.open.get(path) ?? 0) + 1);
    return { bytes: Buffer.from(path), close: () => void this.open.delete(path) };
  }
}

describe('OpenPayloads', () => {
  it('gives inline bytes and files, each file opened once while within the budget', () => {
    const files = new Files();
    const payloads = new OpenPayloads([file('/a'), Uint8Array.of(1, 2), file('/b')], (path) =>
      files.openFile(path),
    );
    for (const index of [0, 1, 2, 0, 2]) {
      payloads.trim();
      const expected = [Buffer.from('/a'), Buffer.of(1, 2), Buffer.from('/b')][index];
      expect([...payloads.bytes(index)]).toEqual([...(expected ?? [])]);
      expect(payloads.bytes(index).constructor).toBe(Uint8Array);
    }
    expect(files.openings).toBe(2);
    payloads.close();
    expect(files.open.size).toBe(0);
  });

  it('closes the files used longest ago when asked to trim, and opens them again', () => {
    const files = new Files();
    const payloads = new OpenPayloads(
      ['/a', '/b', '/c'].map(file),
      (path) => files.openFile(path),
      4,
    );
    for (const index of [0, 1, 0, 2]) payloads.bytes(index);
    expect([...files.open.keys()]).toEqual(['/a', '/b', '/c']);
    payloads.trim();
    expect([...files.open.keys()]).toEqual(['/a', '/c']);
    expect(new TextDecoder().decode(payloads.bytes(1))).toBe('/b');
  });

  it('refuses a number that has no payload', () => {
    const payloads = new OpenPayloads([null], () => expect.fail('no file is asked for'));
    expect(() => payloads.bytes(0)).toThrow(/no payload/);
  });
});
