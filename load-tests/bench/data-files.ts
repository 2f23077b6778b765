/** Files of the benchmark data: texts, most of them compressed. */
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** Ends the script where there is no such data. */
export function requireData(folder: string): void {
  if (existsSync(folder)) return;
  console.error(`no benchmark data at ${folder}: name a folder of them by --data`);
  process.exit(2);
}

/** By its name, compressed or not. */
export function readData(path: string): Buffer {
  const bytes = readFileSync(path);
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

export const readJson = (path: string): unknown => JSON.parse(readData(path).toString());

export const linesOf = (path: string): string[] => readData(path).toString().trim().split('\n');
