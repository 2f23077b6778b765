/**
 * The rival: MiniSearch in a process of its own, on the same documents and keyword queries, without
 * HTTP or disk.
 */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

export interface RivalFigures {
  readonly documentsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly queriesPerSecond: number;
}

export function measureRival(dataDir: string, corpus: string): Promise<RivalFigures> {
  const entry = resolve(import.meta.dirname, 'minisearch-process.js');
  const child = spawn(process.execPath, ['--max-old-space-size=8192', entry, dataDir, corpus], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const parts: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => parts.push(part));
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('exit', (code) => {
      if (code === 0) done(JSON.parse(Buffer.concat(parts).toString()) as RivalFigures);
      else fail(new Error(`the rival ended with code ${code}`));
    });
  });
}
