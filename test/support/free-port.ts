/**
 * Ports for the servers of tests. A port that the system gives out may be given to a connection of
 * another test before the server listens on it, or while a server starts again; so these are below
 * those that it gives out, and in a run of the tests each is given once.
 */
import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FIRST = 10_000;
const USUAL_END = 32_768;
/** Of those from `FIRST` on, the ones that `fetch` refuses to call. */
const REFUSED_BY_FETCH: ReadonlySet<number> = new Set([10_080]);
const RANGE_FILE = '/proc/sys/net/ipv4/ip_local_port_range';

/** The lowest port that the system gives out by itself. */
function endOfOurs(): number {
  try {
    const lowest = Number.parseInt(readFileSync(RANGE_FILE, 'utf8'), 10);
    return lowest > 2 * FIRST ? lowest : USUAL_END;
  } catch {
    return USUAL_END;
  }
}

/** Of this run, whose processes have a temporary folder together. */
function isClaimed(port: number): boolean {
  const folder = join(tmpdir(), 'gannet-ports');
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(join(folder, String(port)), '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });
}

export async function freePort(): Promise<number> {
  const end = endOfOurs();
  for (;;) {
    const port = randomInt(FIRST, end);
    if (!REFUSED_BY_FETCH.has(port) && isClaimed(port) && (await isFree(port))) return port;
  }
}
