/**
 * kill -9 of the indexer, the front or both, again and again while writes arrive: what was
 * acknowledged is done, once.
 */

import type { SearchResponse, Task } from 'meilisearch';
import { afterAll, expect, test } from 'vitest';
import { randomOf } from '../../load-tests/bench/random.ts';
import { KilledServer, type Role, stopKilledServers } from '../support/killed-server.ts';
import { amount } from '../support/run-length.ts';
import { checkIndex, cleanUp } from '../support/test-server.ts';
import { until } from '../support/until.ts';
import {
  BASE_SETTINGS,
  INDEX_UIDS,
  isRefused,
  Model,
  toRequest,
  type Write,
  WriteGenerator,
  wordAt,
  writeNumberOf,
} from '../support/write-history.ts';

const KILL_COUNT = amount(4, 1000);
const COMPARED_QUERIES = amount(40, 120);
const WRITER_COUNT = 4;
const SEED = 20_260_731;
const PAGE = 1000;

/** How a round of kills is made up, the front's share being what its longer start allows. */
const ROUND: readonly (readonly Role[])[] = [
  ...Array.from({ length: 8 }, () => ['indexer'] as const),
  ['front'],
  ['front', 'indexer'],
];

afterAll(async () => {
  await stopKilledServers();
  await cleanUp();
});

const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

class Import {
  readonly writes: Write[] = [];
  /** Task uid → number of the write. */
  readonly acknowledged = new Map<number, number>();
  /** Task uid → its record when it was first seen finished. */
  readonly finished = new Map<number, string>();
  readonly server: KilledServer;
  lostAnswers = 0;
  isOver = false;
  readonly #generator = new WriteGenerator(SEED);
  readonly #random = randomOf(SEED + 1);

  constructor(server: KilledServer) {
    this.server = server;
  }

  /** Sends one write after the other; one whose answer is lost is never sent again. */
  async write(): Promise<void> {
    while (!this.isOver) {
      const number = this.writes.length;
      const write = this.#generator.next(number, [...this.acknowledged.keys()]);
      this.writes.push(write);
      try {
        const answer = await this.server.call(...toRequest(write, number));
        if (answer.status >= 500) throw new Error(answer.text);
        if (answer.status >= 400) throw new Refusal(`write ${number}: ${answer.text}`);
        const { taskUid } = answer.json as { taskUid: number };
        if (this.acknowledged.has(taskUid))
          throw new Refusal(`task ${taskUid} was given to two writes`);
        this.acknowledged.set(taskUid, number);
        await sleep(this.#random() * 20);
      } catch (error) {
        if (error instanceof Refusal) throw error;
        this.lostAnswers += 1;
        await sleep(20);
      }
    }
  }

  /** Finished is final: the record may never change again. */
  async watch(): Promise<void> {
    while (!this.isOver) {
      try {
        const answer = await this.server.call(
          'GET',
          '/tasks?statuses=succeeded,failed,canceled&limit=100',
        );
        const { results = [] } = answer.json as { results?: Task[] };
        for (const task of results)
          if (!this.finished.has(task.uid)) this.finished.set(task.uid, frozen(task));
      } catch {
        await sleep(50);
      }
      await sleep(100);
    }
  }

  /**
   * Every fourth kill waits until a task is finished, since one that ten in a row met would be given
   * up; most others wait until writes are accepted again, the rest meet a start.
   */
  async kill(roles: readonly Role[], number: number): Promise<void> {
    if (number % 4 === 0) await this.#finishedCount(await this.#finishedCount(-1));
    else if (this.#random() < 0.7) await this.#acknowledgedMore(1 + Math.floor(this.#random() * 6));
    await sleep(this.#random() * 120);
    await Promise.all(roles.map((role) => this.server.kill(role)));
  }

  /** How many tasks are finished, once that is more than `least`. */
  #finishedCount(least: number): Promise<number> {
    return until('tasks are finished', async () => {
      const path = '/tasks?statuses=succeeded,failed,canceled&limit=1';
      const answer = await this.server.call('GET', path).catch(() => null);
      const { total = -1 } = (answer?.json ?? {}) as { total?: number };
      return total > least ? total : null;
    });
  }

  async #acknowledgedMore(count: number): Promise<void> {
    const { size } = this.acknowledged;
    await until('writes are accepted', () =>
      this.acknowledged.size >= size + count ? true : null,
    );
  }
}

class Refusal extends Error {}

/** A swap rewrites the index uids of finished tasks; nothing else may change. */
const frozen = ({ indexUid: _, ...rest }: Task): string => JSON.stringify(rest);

/** Rounds in random order. */
function killPlan(random: () => number): (readonly Role[])[] {
  const plan: (readonly Role[])[] = [];
  while (plan.length < KILL_COUNT) {
    const round = ROUND.map((roles) => ({ roles, at: random() })).sort((a, b) => a.at - b.at);
    plan.push(...round.map(({ roles }) => roles));
  }
  return plan.slice(0, KILL_COUNT);
}

async function allTasks({ client }: KilledServer): Promise<Task[]> {
  const tasks: Task[] = [];
  for (let from: number | null = 0; from !== null; ) {
    const page = await client.tasks.getTasks({ from, reverse: true, limit: PAGE });
    tasks.push(...page.results);
    from = page.next;
  }
  return tasks;
}

/** Batch uid → number of its tasks. */
function membersOf(tasks: readonly Task[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { batchUid } of tasks)
    counts.set(batchUid ?? -1, (counts.get(batchUid ?? -1) ?? 0) + 1);
  return counts;
}

/** Replays the tasks in their order and compares each record with what the model says of it. */
function replay(tasks: readonly Task[], { writes, acknowledged, finished }: Import): Model {
  const model = new Model();
  const batchSizes = membersOf(tasks);
  const seen = new Set<number>();
  for (const [position, task] of tasks.entries()) {
    const { uid, status, type } = task;
    expect(uid).toBe(position);
    expect(['succeeded', 'failed', 'canceled'], `task ${uid}`).toContain(status);
    if (finished.has(uid))
      expect(frozen(task), `task ${uid} changed after it was finished`).toBe(finished.get(uid));
    if (uid < INDEX_UIDS.length * 2) continue;
    const number = writeNumberOf(task) ?? acknowledged.get(uid) ?? null;
    if (acknowledged.has(uid)) expect(number, `task ${uid}`).toBe(acknowledged.get(uid));
    if (number !== null) {
      expect(seen.has(number), `write ${number} has two tasks`).toBe(false);
      seen.add(number);
    }
    if (type === 'taskCancelation') continue;
    const write: Write | undefined = type === 'indexSwap' ? { kind: 'swap' } : writes[number ?? -1];
    if (write === undefined) throw new Error(`task ${uid} (${type}) comes from no write`);
    if (status === 'canceled') continue;
    const isAlone = batchSizes.get(task.batchUid ?? -1) === 1;
    const removed = model.apply(write);
    expectOutcome(task, write, isAlone ? removed : null);
  }
  for (const uid of acknowledged.keys())
    expect(uid, 'an acknowledged task is lost').toBeLessThan(tasks.length);
  return model;
}

/** `removed` is null when the batch decides how deletions are counted. */
function expectOutcome(
  { uid, status, error, details, batchUid }: Task,
  write: Write,
  removed: number | null,
): void {
  const what = `task ${uid}`;
  expect(batchUid, what).not.toBeNull();
  if (write.kind === 'add' && isRefused(write.docs)) {
    if (status === 'failed') expect(error?.code, what).toBe('invalid_document_id');
    else expect(details?.indexedDocuments, `${what}: absorbed by a clear`).toBeNull();
    return;
  }
  expect(status, `${what}: ${error?.message}`).toBe('succeeded');
  if (write.kind === 'add' || write.kind === 'update') {
    expect(details?.receivedDocuments, what).toBe(write.docs.length);
    expect([new Set(write.docs.map(({ id }) => id)).size, null], what).toContain(
      details?.indexedDocuments,
    );
  } else if (write.kind === 'delete') {
    expect(details?.providedIds, what).toBe(write.ids.length);
  }
  if ((write.kind === 'delete' || write.kind === 'clear') && removed !== null) {
    expect(details?.deletedDocuments, what).toBe(removed);
  }
}

/** Each task is in exactly one batch. */
async function expectBatches({ client }: KilledServer, tasks: readonly Task[]): Promise<void> {
  const sizes = new Map<number, number>();
  for (let from: number | undefined = 0; from !== undefined; ) {
    const page = await client.batches.getBatches({ from, reverse: true, limit: PAGE });
    for (const { uid, stats } of page.results) sizes.set(uid, stats.totalNbTasks);
    from = page.next ?? undefined;
  }
  const byUid = (counts: Iterable<[number, number]>) => [...counts].sort(([a], [b]) => a - b);
  expect(byUid(sizes)).toEqual(byUid(membersOf(tasks)));
}

async function storedDocuments({ client }: KilledServer, indexUid: string): Promise<unknown[]> {
  const { results } = await client.index(indexUid).getDocuments({ limit: PAGE });
  return results.sort((a, b) => Number(a['id']) - Number(b['id']));
}

/**
 * Which of two equal hits comes first depends on internal numbers, so hits of one score are
 * compared as a set.
 */
function ranked({ hits, estimatedTotalHits }: SearchResponse): unknown {
  const lines = hits.map(
    ({ _rankingScore, ...hit }) => `${_rankingScore?.toFixed(6)} ${String(hit['id']).padStart(4)}`,
  );
  return { lines: lines.sort(), estimatedTotalHits };
}

async function expectSameAsFreshIndex(
  { client }: KilledServer,
  indexUid: string,
  model: Model,
): Promise<void> {
  const fresh = client.index(`fresh-${indexUid}`);
  const stopWords = [...(model.stopWords.get(indexUid) ?? [])];
  await fresh.updateSettings({ ...BASE_SETTINGS, stopWords }).waitTask();
  await fresh.addDocuments([...model.of(indexUid).values()], { primaryKey: 'id' }).waitTask();
  for (let number = 0; number < COMPARED_QUERIES; number += 1) {
    const words = [wordAt(number * 7), wordAt(number * 13 + 5), wordAt(number * 29 + 3)];
    const query = [
      words[0],
      words.slice(0, 2).join(' '),
      `"${words[0]}"`,
      `${words.join(' ').slice(0, -2)}`,
    ][number % 4];
    const options = { limit: PAGE, showRankingScore: true, attributesToRetrieve: ['id'] };
    const [answer, expected] = await Promise.all([
      client.index(indexUid).search(query, options),
      fresh.search(query, options),
    ]);
    expect(ranked(answer), `${indexUid}: ${query}`).toEqual(ranked(expected));
  }
}

test(
  `${KILL_COUNT} kills during an import: no acknowledged task lost, none done twice, the index as if nothing had happened`,
  async () => {
    const started = await KilledServer.start();
    for (const uid of INDEX_UIDS) {
      await started.client.createIndex(uid, { primaryKey: 'id' }).waitTask();
      await started.client.index(uid).updateSettings(BASE_SETTINGS).waitTask();
    }
    const run = new Import(started);
    const workers = [run.watch(), ...Array.from({ length: WRITER_COUNT }, () => run.write())];
    const failure = Promise.all(workers);
    const kills = (async () => {
      for (const [number, roles] of killPlan(randomOf(SEED + 2)).entries())
        await run.kill(roles, number);
    })();
    await Promise.race([kills, failure]);
    await kills;
    run.isOver = true;
    await failure;
    const { server } = run;
    await server.untilFinished();

    const tasks = await allTasks(server);
    const model = replay(tasks, run);
    expect(run.acknowledged.size).toBeGreaterThan(KILL_COUNT / 2);
    await expectBatches(server, tasks);
    for (const uid of INDEX_UIDS) {
      const expected = [...model.of(uid).values()].sort((a, b) => Number(a.id) - Number(b.id));
      expect(await storedDocuments(server, uid)).toEqual(expected);
      expect((await server.client.index(uid).getSettings()).stopWords).toEqual(
        model.stopWords.get(uid),
      );
      await expectSameAsFreshIndex(server, uid, model);
    }
    const exits = await server.stop();
    expect(exits.map(({ code: exit }) => exit)).toEqual([0, 0]);
    const { code, report } = await checkIndex(server.dbPath);
    expect(code, report).toBe(0);
  },
  100_000 + KILL_COUNT * 6000,
);
