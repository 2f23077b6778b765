/** Dumps that unpack to far more than they are, each given to a new server. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Attack } from './attack.ts';
import { MEBIBYTE } from './parts/run-attack.ts';

const BUILD = resolve(import.meta.dirname, '../../..');
const BLOCK = 512;
const octal = (value: number, digits: number): string =>
  `${value.toString(8).padStart(digits, '0')}\0`;

/** A header of tar. */
function header(name: string, bytes: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0);
  block.write(octal(0o600, 7), 100);
  block.write(octal(bytes, 11), 124);
  block.write('ustar\x0000', 257);
  block.write(' '.repeat(8), 148);
  block.write(
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      6,
    )} `,
    148,
  );
  return block;
}

/** Members of gzip one after the other are one stream. */
function zeros(): Buffer {
  const part = gzipSync(Buffer.alloc(64 * MEBIBYTE), { level: 9 });
  const parts = new Array<Buffer>(32).fill(part);
  return Buffer.concat([gzipSync(header('documents.jsonl', 2048 * MEBIBYTE)), ...parts]);
}

const manyFiles = (): Buffer =>
  gzipSync(Buffer.concat(Array.from({ length: 3000 }, (_, i) => header(`${i}.json`, 0))));

/** Starts a server on the dump. @returns what it says until it ends */
function startOn(dump: string, dbPath: string, options: readonly string[]): Promise<string> {
  return new Promise((done) => {
    const args = [join(BUILD, 'scripts/gannet.mjs'), 'serve', '--db-path', dbPath];
    const all = [...args, '--http-addr', '127.0.0.1:0', '--import-dump', dump, ...options];
    const server = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const out of [server.stdout, server.stderr])
      out.on('data', (bytes: Buffer) => {
        said += bytes.toString();
      });
    server.once('close', (code) => done(`${said}ended with ${code}`));
  });
}

export const attack: Attack = {
  name: 'dump bombs',
  sends: 'dumps of two gigabytes of zeros and of thousands of files, to servers that start',
  short: false,
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'attack-dump-'));
    const bombs = [
      { bytes: zeros(), options: [], says: /unpacks to more than .*--import-size-limit/ },
      {
        bytes: manyFiles(),
        options: ['--import-entry-limit', '2000'],
        says: /holds more than 2000 files and folders/,
      },
    ];
    const broken: string[] = [];
    try {
      for (const [i, { bytes, options, says }] of bombs.entries()) {
        const dump = join(folder, `${i}.dump`);
        const dbPath = join(folder, `${i}.ms`);
        writeFileSync(dump, bytes);
        const said = await startOn(dump, dbPath, options);
        if (!says.test(said) || said.endsWith('ended with 0'))
          broken.push(`a bomb of ${bytes.length} bytes: the server said ${said.slice(-500)}`);
        if (existsSync(dbPath)) broken.push('a refused dump left a data folder');
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    return broken;
  },
};
