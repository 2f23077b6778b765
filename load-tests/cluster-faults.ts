/**
 * npm run bench:cluster -- [--store URL] [--fault kill,pause,…] [--rounds 3] [--seconds 30] [--readers 1]
 *   [--searches 50] [--takeover-seconds 4] [--seed 1] [--store-run FOLDER] [--store-start COMMAND]
 *
 * Two nodes that may write and readers on one object store (default: a directory), six clients that add
 * documents one by one, and searches at a fixed rate through a balancer. Each round has the next one of the
 * faults (bench/cluster-faults.ts): the writer, a reader or a process of the store is killed (kill,
 * kill-briefly, kill-reader, kill-store), or paused for `--seconds` (pause, pause-reader, pause-store),
 * nodes are killed while one or the store is paused (storm), or each node is restarted in turn (roll). Faults of
 * the store need a folder with the pid files of its processes, and for kills the command that starts it.
 *
 * Prints what was acknowledged and lost or doubled, the searches that failed, how long they took by whether
 * their node was paused, the time until a write was acknowledged again, and whether all nodes have the same
 * documents in the same bytes. Exit code 1 if anything was lost, doubled, different or failed. SIGINT ends
 * the run after its round. Credentials of the store come from the environment.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Attempt, Balancer, ClusterNode, POLL_MS, send } from './bench/cluster.ts';
import { CALM_MS, FaultCounts, faults, StoreProcesses, TICK_MS } from './bench/cluster-faults.ts';
import { Pauses } from './bench/pauses.ts';
import { randomOf } from './bench/random.ts';
import { percentile } from './bench/statistics.ts';
import { aligned } from './bench/table.ts';
import { Takeovers } from './bench/takeovers.ts';

const { values: options } = parseArgs({
  options: {
    store: { type: 'string', default: `file://${mkdtempSync(join(tmpdir(), 'gannet-store-'))}` },
    fault: { type: 'string', default: 'kill' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '30' },
    readers: { type: 'string', default: '1' },
    searches: { type: 'string', default: '50' },
    'takeover-seconds': { type: 'string', default: '4' },
    seed: { type: 'string', default: '1' },
    'store-run': { type: 'string' },
    'store-start': { type: 'string' },
  },
});
const CLIENTS = 6;
const LARGE_BYTES = 100_000;
const SEARCH_MS = 30_000;
/** A client that gets no answer for longer goes on with another document. */
const WRITE_MS = 10_000;
/** A later turn of the event loop is a stall of this process, which breaks connections, too. */
const STALL_MS = 1000;
/** Searches that take longer are reported. */
const LONG_MS = 2000;
/** Of the logs, before a search that failed. */
const LOG_MS = 5000;
const SETTLE_MS = 300_000;
const MS_PER_SECOND = 1000;
const PAGE = 500;

interface Tally {
  /** Id of the document → uid of its task. */
  readonly acknowledged: Map<number, number>;
  readonly acknowledgedMs: number[];
  /** By status; 0 = no answer. */
  readonly refused: Map<number, number>;
  readonly searchMs: number[];
  readonly failed: Map<number, number>;
  retries: number;
  /** Of this process. */
  readonly stalls: string[];
  /** Why the rounds ended early, or a node did not finish. */
  readonly problems: string[];
  isOver: boolean;
}

const nowText = (): string => new Date().toISOString();

const tally: Tally = {
  acknowledged: new Map(),
  acknowledgedMs: [],
  refused: new Map(),
  searchMs: [],
  failed: new Map(),
  retries: 0,
  stalls: [],
  problems: [],
  isOver: false,
};
let nextId = 0;
const takeovers = new Takeovers();
const pauses = new Pauses();

const count = (counts: Map<number, number>, status: number): void =>
  void counts.set(status, (counts.get(status) ?? 0) + 1);

async function writeOn(balancer: Balancer): Promise<void> {
  while (!tally.isOver) {
    const id = nextId++;
    const text = id % 7 === 0 ? 'x'.repeat(LARGE_BYTES) : `short ${id}`;
    const path = `/indexes/films/documents?primaryKey=id&customMetadata=${id}`;
    const { status, json } = await balancer.write(path, [{ id, text }], WRITE_MS);
    if (status !== 202) {
      count(tally.refused, status);
      await sleep(POLL_MS);
      continue;
    }
    tally.acknowledged.set(id, (json as { readonly taskUid: number }).taskUid);
    tally.acknowledgedMs.push(performance.now());
  }
}

async function searchOnce(balancer: Balancer): Promise<void> {
  const startMs = performance.now();
  const path = '/indexes/films/search';
  const { status, retries, failures } = await balancer.search(path, { q: 'short' }, SEARCH_MS);
  tally.searchMs.push(performance.now() - startMs);
  tally.retries += retries;
  if (status === 200) return;
  count(tally.failed, status);
  const nowMs = Date.now();
  const lines = nodes.flatMap((node) =>
    node.logLines(nowMs - LOG_MS, nowMs).map((line) => `  log of ${node.name}: ${line}`),
  );
  const stalls = `  last stalls of this process: ${tally.stalls.slice(-3).join(', ') || 'none'}`;
  process.stderr.write(`a search failed:\n${[...failures, stalls, ...lines].join('\n')}\n`);
}

/** A long search is reported with its node. */
function noteSearch(node: ClusterNode, startMs: number, { failure }: Attempt): void {
  const group = pauses.addSearch(node, startMs);
  const tookMs = Math.round(performance.now() - startMs);
  if (tookMs < LONG_MS) return;
  const end = failure ?? 'answered';
  process.stderr.write(`${nowText()} ${tookMs} ms at ${node.name} (${group}): ${end}\n`);
}

async function searchOn(balancer: Balancer): Promise<void> {
  const running = new Set<Promise<void>>();
  const startMs = performance.now();
  let turnMs = performance.now();
  for (let sent = 0; !tally.isOver; await sleep(TICK_MS)) {
    const lateMs = performance.now() - turnMs;
    turnMs += lateMs;
    if (lateMs > STALL_MS) tally.stalls.push(`${Math.round(lateMs)} ms until ${nowText()}`);
    const due = ((performance.now() - startMs) / MS_PER_SECOND) * Number(options.searches);
    for (; sent < due; sent++) {
      const search: Promise<void> = searchOnce(balancer).finally(() => running.delete(search));
      running.add(search);
    }
  }
  await Promise.all(running);
}

/** Milliseconds without an acknowledgement, the longest that touches the time of the fault. */
function silenceMs(startMs: number, endMs: number): number {
  const times = [
    ...tally.acknowledgedMs.filter((ms) => ms < startMs).slice(-1),
    ...tally.acknowledgedMs.filter((ms) => ms >= startMs && ms <= endMs),
  ];
  return Math.max(0, ...times.map((ms, at) => (times[at + 1] ?? ms) - ms));
}

interface TaskShown {
  readonly uid: number;
  readonly status: string;
  readonly customMetadata: string;
}

/** Asks again while the node cannot answer, because it starts or waits for the store. */
async function read(node: ClusterNode, path: string): Promise<unknown> {
  for (const endMs = Date.now() + SETTLE_MS; ; await sleep(POLL_MS)) {
    const { status, json, failure } = await send(node, 'GET', path);
    if (status === 200) return json;
    if ((status >= 400 && status < 500) || Date.now() > endMs)
      throw new Error(`${path}: ${failure}`);
  }
}

/** Read in pages: over a slow store each task is a request. */
async function tasksOf(node: ClusterNode): Promise<TaskShown[]> {
  const tasks: TaskShown[] = [];
  for (let from: string | null = ''; from !== null; ) {
    const path = `/tasks?types=documentAdditionOrUpdate&limit=${PAGE}${from}`;
    const page = (await read(node, path)) as {
      readonly results: readonly TaskShown[];
      readonly next: number | null;
    };
    tasks.push(...page.results);
    from = page.next === null ? null : `&from=${page.next}`;
  }
  return tasks;
}

/** What is wrong on a node; it must have finished all tasks. */
async function problemsOf(node: ClusterNode): Promise<string[]> {
  const tasks = await tasksOf(node);
  const uids = new Map<number, number[]>();
  for (const { uid, customMetadata } of tasks) {
    const id = Number(customMetadata);
    uids.set(id, [...(uids.get(id) ?? []), uid]);
  }
  const sameUid = tasks.length - new Set(tasks.map(({ uid }) => uid)).size;
  const lost = [...tally.acknowledged].filter(([id, uid]) => !uids.get(id)?.includes(uid));
  const doubled = [...uids.values()].filter(({ length }) => length > 1);
  const failed = tasks.filter(({ status }) => status !== 'succeeded');
  const path = '/indexes/films/documents?limit=1000000&fields=id';
  const documents = (await read(node, path)) as {
    readonly results: readonly { readonly id: number }[];
  };
  const ids = new Set(documents.results.map(({ id }) => id));
  const missing = [...uids.keys()].filter((id) => !ids.has(id));
  return [
    ...(lost.length > 0 ? [`${lost.length} acknowledged tasks lost`] : []),
    ...(doubled.length > 0 ? [`${doubled.length} tasks doubled`] : []),
    ...(sameUid > 0 ? [`${sameUid} uids of several tasks`] : []),
    ...(failed.length > 0 ? [`${failed.length} tasks not succeeded`] : []),
    ...(missing.length > 0 ? [`${missing.length} documents missing`] : []),
    ...(ids.size > uids.size ? [`${ids.size - uids.size} documents without a task`] : []),
  ].map((problem) => `${node.name}: ${problem}`);
}

async function untilSettled(nodes: readonly ClusterNode[]): Promise<void> {
  const last = Math.max(...tally.acknowledged.values());
  for (const node of nodes)
    for (const endMs = Date.now() + SETTLE_MS; ; await sleep(POLL_MS)) {
      const path = '/tasks?statuses=enqueued,processing&limit=1';
      const { json } = await send(node, 'GET', path);
      const isIdle = (json as { readonly total?: number } | null)?.total === 0;
      if (isIdle && (await send(node, 'GET', `/tasks/${last}`)).status === 200) break;
      if (Date.now() > endMs) {
        tally.problems.push(`${node.name} has not finished its tasks`);
        break;
      }
    }
}

/** SHA-256 by name of a segment file. */
function filesOf({ folder }: ClusterNode): ReadonlyMap<string, string> {
  const root = join(folder, 'indexes');
  const names = readdirSync(root, { recursive: true }).map(String);
  const files = names.filter((name) => /\.\w+$/.test(name) && !name.endsWith('.tmp'));
  return new Map(
    files.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(root, name)))
        .digest('hex'),
    ]),
  );
}

async function differences(nodes: readonly ClusterNode[]): Promise<string[]> {
  const [first, ...others] = nodes as [ClusterNode, ...ClusterNode[]];
  const path = '/indexes/films/fingerprint';
  const wanted = JSON.stringify(await read(first, path));
  const files = filesOf(first);
  const found: string[] = [];
  for (const node of others) {
    if (JSON.stringify(await read(node, path)) !== wanted)
      found.push(`${node.name}: another fingerprint than ${first.name}`);
    for (const [name, sha256] of filesOf(node))
      if (files.has(name) && files.get(name) !== sha256)
        found.push(`${node.name}: ${name} differs`);
  }
  return found;
}

const text = (counts: ReadonlyMap<number, number>): string =>
  [...counts].map(([status, times]) => `${times} × ${status || 'no answer'}`).join(', ') || '0';

const names = options.fault.split(',');
const unknown = names.find((name) => !(name in faults));
if (unknown !== undefined)
  throw new Error(`--fault ${unknown} is none of ${Object.keys(faults).join(', ')}`);
const flags = ['--store', options.store, '--takeover-seconds', options['takeover-seconds']];
const nodes: ClusterNode[] = [];

let isInterrupted = false;
process.once('SIGINT', () => {
  isInterrupted = true;
});

/** @returns seconds without an acknowledgement in each round */
async function runRounds(counts: FaultCounts): Promise<number[]> {
  const balancer = new Balancer(nodes, noteSearch);
  const created = await balancer.write('/indexes', { uid: 'films', primaryKey: 'id' }, WRITE_MS);
  if (created.status !== 202) throw new Error(`no index: ${JSON.stringify(created.json)}`);
  for (const node of nodes)
    while ((await send(node, 'GET', '/indexes/films')).status !== 200) await sleep(POLL_MS);
  const clients = Array.from({ length: CLIENTS }, () => writeOn(balancer));
  const searches = searchOn(balancer);
  const silences: number[] = [];
  const around = {
    nodes,
    pauseMs: Number(options.seconds) * MS_PER_SECOND,
    pauses,
    store: new StoreProcesses(options['store-run'] ?? null, options['store-start'] ?? null),
    takeovers,
    acknowledged: () => tally.acknowledged.size,
    random: randomOf(Number(options.seed)),
  };
  try {
    for (let round = 0; round < Number(options.rounds) && !isInterrupted; round++) {
      await sleep(CALM_MS);
      const startMs = performance.now();
      await faults[names[round % names.length] as string]?.(around, counts);
      await sleep(CALM_MS);
      silences.push(silenceMs(startMs, performance.now()) / MS_PER_SECOND);
    }
  } catch (error) {
    tally.problems.push(`a round ended early: ${(error as Error).message}`);
    await Promise.allSettled(nodes.map((node) => node.untilReady()));
  } finally {
    tally.isOver = true;
    await Promise.all([...clients, searches]);
    balancer.close();
  }
  return silences;
}

async function measure(): Promise<void> {
  const counts = new FaultCounts();
  for (const name of ['first', 'second']) nodes.push(await ClusterNode.start(name, flags));
  for (let at = 0; at < Number(options.readers); at++)
    nodes.push(await ClusterNode.start(`reader-${at}`, [...flags, '--role', 'reader']));
  const silences = await runRounds(counts);
  await untilSettled(nodes);
  const found = (await Promise.all(nodes.map(problemsOf))).flat();
  const problems = [...tally.problems, ...found, ...(await differences(nodes))];
  const times = [0.5, 0.99, 1].map((p) => percentile(tally.searchMs, p).toFixed(0));
  const rows = [
    ['figure', 'value'],
    ['faults', String(counts)],
    ['acknowledged writes', String(tally.acknowledged.size)],
    ['writes refused, by status', text(tally.refused)],
    [
      'seconds without an acknowledgement, each round',
      silences.map((seconds) => seconds.toFixed(1)).join(' '),
    ],
    ['searches', String(tally.searchMs.length)],
    ['searches failed, by status', text(tally.failed)],
    ['searches sent again to another node', String(tally.retries)],
    [
      'nodes that ended and were started again',
      nodes.map(({ name, ends }) => `${name} ${ends}`).join(', '),
    ],
    ['stalls of this process, above 1 s', String(tally.stalls.length)],
    ['search p50, p99, max, ms', times.join(' ')],
    ...pauses.rows(),
    ['lost, doubled or different', problems.join('; ') || '0'],
  ];
  process.stdout.write(`${aligned(rows)}\n\n${takeovers}\n`);
  process.exitCode = problems.length + tally.failed.size > 0 ? 1 : 0;
}

try {
  await measure();
} finally {
  for (const node of nodes) {
    node.signal('SIGCONT');
    await node.end(process.exitCode === 0 ? 'SIGTERM' : 'SIGKILL');
    rmSync(node.folder, { recursive: true, force: true });
  }
}
