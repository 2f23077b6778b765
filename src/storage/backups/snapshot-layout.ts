/**
 * What an archive of a snapshot holds: a data folder, with the checksums of its files in the form
 * that `sha256sum --check` reads.
 */

export const CHECKSUMS = 'SHA256SUMS';

const PARTS = /^(VERSION|SHA256SUMS|(rocksdb(-\d+)?|spool|indexes\/\d+)\/[^/]+)$/;

export const isSnapshotFile = (name: string): boolean => PARTS.test(name);

export interface SummedFile {
  readonly name: string;
  /** Hexadecimal. */
  readonly sha256: string;
}

export const checksumLines = (files: readonly SummedFile[]): string =>
  files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('');

/** What is wrong with the files; null when they are what the checksums say. */
export function faultOf(files: readonly SummedFile[], checksums: string): string | null {
  const lines = checksums.split('\n').filter((line) => line !== '');
  const wanted = new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
  for (const { name, sha256 } of files) {
    if (name === CHECKSUMS) continue;
    if (!wanted.has(name)) return `holds ${name}, of which its checksums know nothing`;
    if (wanted.get(name) !== sha256) return `is damaged: the checksum of ${name} is another`;
    wanted.delete(name);
  }
  const [missing] = wanted.keys();
  return missing === undefined ? null : `lacks ${missing}`;
}
