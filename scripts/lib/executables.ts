/** Finds programs on this machine. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const folders = (path: string): string[] => path.split(delimiter).filter((folder) => folder !== '');

/**
 * Full paths of programs with one of these names, in the order of the names, then of the folders.
 */
export const executablesOnPath = (
  names: readonly string[],
  path: string = process.env['PATH'] ?? '',
): string[] =>
  folders(path)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .filter(isExecutable);

export const isOnPath = (name: string): boolean => executablesOnPath([name]).length > 0;
