/**
 * An indexer service over a new or given data folder with fake index writers, and short functions
 * to send tasks and wait for them.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { OutgoingError } from '../../src/http-client/outgoing-error.ts';
import type { IndexerEvents } from '../../src/ipc/connection/indexer-protocol.ts';
import { type IndexManifest, manifestText } from '../../src/model/index-manifest.ts';
import type { SettingsUpdate } from '../../src/model/settings.ts';
import type {
  PayloadRef,
  TaskDraft,
  TaskPageQuery,
  TaskQuery,
  TaskRecord,
} from '../../src/model/task.ts';
import type { IndexerServiceOptions } from '../../src/tasks/indexer-parts.ts';
import { IndexerService } from '../../src/tasks/indexer-service.ts';
import { FakeIndexes } from './fake-index-writer.ts';

export const temporaryFolder = (): string => fs.mkdtempSync(path.join(os.tmpdir(), 'indexer-'));

export const inline = (documents: unknown): PayloadRef => ({
  kind: 'inline',
  base64: Buffer.from(JSON.stringify(documents)).toString('base64'),
});

/** Drafts with the members that tests rarely care about filled in. */
export const drafts = {
  add: (indexUid: string, documents: readonly unknown[], more: object = {}): TaskDraft => ({
    type: 'documentAdditionOrUpdate',
    indexUid,
    method: 'replace',
    primaryKey: null,
    skipCreation: false,
    payload: inline(documents),
    format: 'json',
    documentCount: documents.length,
    allowIndexCreation: true,
    ...more,
  }),
  remove: (indexUid: string, ids: readonly string[]): TaskDraft => ({
    type: 'documentDeletion',
    indexUid,
    by: { kind: 'ids', ids },
  }),
  clear: (indexUid: string): TaskDraft => ({
    type: 'documentDeletion',
    indexUid,
    by: { kind: 'all' },
  }),
  settings: (indexUid: string, settings: SettingsUpdate, isReset = false): TaskDraft => ({
    type: 'settingsUpdate',
    indexUid,
    settings,
    isReset,
    allowIndexCreation: !isReset,
  }),
  create: (indexUid: string, primaryKey: string | null = null): TaskDraft => ({
    type: 'indexCreation',
    indexUid,
    primaryKey,
  }),
  update: (
    indexUid: string,
    primaryKey: string | null,
    newUid: string | null = null,
  ): TaskDraft => ({
    type: 'indexUpdate',
    indexUid,
    primaryKey,
    newUid,
  }),
  drop: (indexUid: string): TaskDraft => ({ type: 'indexDeletion', indexUid }),
  swap: (...swaps: readonly (readonly [string, string, boolean?])[]): TaskDraft => ({
    type: 'indexSwap',
    swaps: swaps.map(([a, b, rename = false]) => ({ indexes: [a, b] as const, rename })),
  }),
  cancel: (query: TaskQuery): TaskDraft => ({
    type: 'taskCancelation',
    query,
    originalFilter: '?x',
  }),
  forget: (query: TaskQuery): TaskDraft => ({ type: 'taskDeletion', query, originalFilter: '?y' }),
};

type Event = {
  [K in keyof IndexerEvents]: { name: K; data: IndexerEvents[K] };
}[keyof IndexerEvents];

export interface Harness {
  readonly service: IndexerService;
  readonly fakes: FakeIndexes;
  readonly dataDir: string;
  readonly events: Event[];
  readonly fatal: unknown[];
  readonly logged: string[];
  send(...drafts: readonly TaskDraft[]): Promise<number[]>;
  /** Waits until the tasks are finished. */
  wait(uids: readonly number[]): Promise<TaskRecord[]>;
  /** `send`, then `wait`. */
  run(...drafts: readonly TaskDraft[]): Promise<TaskRecord[]>;
  manifest(uid: string): IndexManifest | null;
  documents(uid: string): Record<string, unknown>[];
  list(
    query?: Partial<TaskPageQuery>,
  ): Promise<{ uids: number[]; total: number; from: number | null; next: number | null }>;
}

export type HarnessOptions = Partial<IndexerServiceOptions> & { fakes?: FakeIndexes };

export async function openHarness(options: HarnessOptions = {}): Promise<Harness> {
  const dataDir = options.dataDir ?? temporaryFolder();
  const fakes = options.fakes ?? new FakeIndexes();
  const events: Event[] = [];
  const fatal: unknown[] = [];
  const logged: string[] = [];
  const write = (fields: object | string, message = String(fields)) => void logged.push(message);
  const service = await IndexerService.open({
    openWriter: fakes.open,
    publish: (name, data) => void events.push({ name, data } as Event),
    checkFile: () => Promise.resolve(null),
    readOut: () => Promise.reject(new Error('these tests make no dumps')),
    backupPlaces: {
      dumpFolder: path.join(dataDir, '..', 'dumps'),
      snapshotFolder: path.join(dataDir, '..', 'snapshots'),
      snapshotName: path.basename(dataDir),
      snapshotsKept: 1,
    },
    settled: () => Promise.resolve(),
    minimumAcknowledged: () => Number.POSITIVE_INFINITY,
    log: {
      debug: write,
      info: write,
      warn: write,
      error: write,
    },
    onFatal: (error) => void fatal.push(error),
    send: () => Promise.reject(new OutgoingError('unreachable', 'nothing is sent in this test')),
    webhooks: { launch: null },
    ...options,
    limits: {
      mergeTiming: { quietMs: 0, settledMs: 0, urgentSegmentCount: 10 },
      ...options.limits,
    },
    dataDir,
  });
  const manifest = (uid: string) => {
    const found = service.parts.catalog.get(uid);
    return found && (JSON.parse(manifestText(found)) as IndexManifest);
  };
  const send = async (...list: readonly TaskDraft[]) => {
    const uids: number[] = [];
    for (const draft of list) uids.push((await service.handlers.enqueue(draft)).taskUid);
    return uids;
  };
  const wait = async (uids: readonly number[]) =>
    Promise.all(uids.map((uid) => waitForTask(service, uid, fatal)));
  return {
    service,
    fakes,
    dataDir,
    events,
    fatal,
    logged,
    send,
    wait,
    run: async (...list) => wait(await send(...list)),
    manifest,
    documents: (uid) => {
      const found = manifest(uid);
      return found === null ? [] : [...fakes.documents(found).values()];
    },
    list: async (query = {}) => {
      const { results, total, from, next } = await service.handlers.listTasks({
        limit: 20,
        from: null,
        reverse: false,
        ...query,
      });
      return { uids: results.map(({ uid }) => uid), total, from, next };
    },
  };
}

/** A harness that is drained and removed when the test ends. Its service is not started. */
export async function harnessOfTest(options: HarnessOptions = {}): Promise<Harness> {
  const harness = await openHarness(options);
  onTestFinished(async () => {
    await harness.service.drain().catch(() => undefined);
    fs.rmSync(harness.dataDir, { recursive: true, force: true });
  });
  return harness;
}

async function waitForTask(
  service: IndexerService,
  uid: number,
  fatal: readonly unknown[],
): Promise<TaskRecord> {
  for (;;) {
    const record = await service.handlers.getTask({ uid });
    if (record === null) throw new Error(`no task ${uid}`);
    if (record.status !== 'enqueued' && record.status !== 'processing') return record;
    if (fatal.length > 0) throw fatal[0];
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
