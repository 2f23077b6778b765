/** Creates folders with their missing parents. */
import fs from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errnoOf } from './io-errors.ts';

const EVERYONE = 0o777;

/**
 * The recursive `mkdirSync` of Node never returns where `mkdir` reports ENOENT in a folder that
 * exists, as below /proc; here that error is thrown. Another process may create the same folders.
 */
export function createFolders(folder: string, mode = EVERYONE): void {
  const missing: string[] = [];
  for (let path = resolve(folder); !fs.existsSync(path); path = dirname(path)) missing.push(path);
  for (const path of missing.reverse()) createFolder(path, mode);
}

function createFolder(path: string, mode: number): void {
  try {
    fs.mkdirSync(path, mode);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST' || !fs.statSync(path).isDirectory()) throw error;
  }
}
