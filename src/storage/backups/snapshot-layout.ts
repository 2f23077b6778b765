/**
 * Layout of a snapshot archive: a data folder and a file of SHA-256 checksums in the format of
 * `sha256sum --check`.
 */

export const CHECKSUMS = 'SHA256SUMS';

const PARTS = /^(VERSION|SHA256SUMS|(rocksdb(-\d+)?|spool|indexes\/\d+)\/[^/]+)$/;

export const isSnapshotFile = (name: string): boolean => PARTS.test(name);

export interface SummedFile {
  readonly name: string;
  /** Hexadecimal SHA-256. */
  readonly sha256: string;
}

export const checksumLines = (files: readonly SummedFile[]): string =>
  files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('');

/** Describes the first difference between files and checksums; null if all match. */
export function faultOf(files: readonly SummedFile[], checksums: string): string | null {
  const lines = checksums.split('\n').filter((line) => line !== '');
  const wanted = new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
  for (const { name, sha256 } of files) {
    if (name === CHECKSUMS) continue;
    if (!wanted.has(name)) return `holds ${name}, which its checksum file does not list`;
    if (wanted.get(name) !== sha256) return `is damaged: the checksum of ${name} does not match`;
    wanted.delete(name);
  }
  const [missing] = wanted.keys();
  return missing === undefined ? null : `lacks ${missing}`;
}
