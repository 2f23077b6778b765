/** Checksums of the binaries of a package, and the differences between two lists. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** SHA-256 by file name. */
export const checksumsIn = (folder) =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((file) => file.endsWith('.node'))
      .sort()
      .map((file) => [file, sha256(readFileSync(join(folder, file)))]),
  );

/** One line for each installed file that differs from `expected` or is not in it. */
export const differences = (expected, installed, source) =>
  Object.keys(installed).length === 0
    ? ['no binary is installed']
    : Object.entries(installed)
        .filter(([file, checksum]) => expected[file] !== checksum)
        .map(([file]) =>
          expected[file] === undefined
            ? `${file} is not in ${source}`
            : `${file} differs from ${source}`,
        );
