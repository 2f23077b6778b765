/** Writes the dump of a held state: an archive with the files of api.md 16.1. */

import { formatDate } from '../../core/clock.ts';
import { throwIfDamaged } from '../../core/errors.ts';
import type { DocumentLines } from '../../indexing/files/document-lines.ts';
import { documentLines, linesOfFile } from '../../indexing/payload/payload-lines.ts';
import type { BatchProgress } from '../../model/batch-progress.ts';
import { type IndexManifest, liveDocumentCount } from '../../model/index-manifest.ts';
import { NO_NETWORK } from '../../model/network.ts';
import { SEARCH_RULES_UID } from '../../model/search-rule.ts';
import { portableSettings } from '../../model/settings.ts';
import type { ArchiveWriter } from '../../storage/backups/archive.ts';
import { mapFile } from '../../storage/files/file-mapping.ts';
import { kindOf } from '../../tasks/kinds/task-kinds.ts';
import type { ContentPlace } from '../../tasks/store/stored-task.ts';
import { payloadKey } from '../../tasks/store/task-keys.ts';
import { toTaskRecord } from '../../tasks/store/task-record.ts';
import {
  batchesInStore,
  isWaiting,
  type TaskInStore,
  tasksInStore,
} from '../../tasks/store/tasks-in-store.ts';
import { batchLine } from '../format/dump-batches.ts';
import { dumpedChat } from '../format/dump-chats.ts';
import { keyLine } from '../format/dump-keys.ts';
import { dumpedRule, RULE_INDEX_SETTINGS } from '../format/dump-rules.ts';
import { dumpedSettings } from '../format/dump-settings.ts';
import { taskLine } from '../format/dump-tasks.ts';
import { finishedKind } from '../format/finished-kinds.ts';
import { indexFolder, V6 } from '../format/v6-layout.ts';
import type { Backup, HeldState } from './held-state.ts';

/** Bytes of lines per write. */
const LINES_BYTES = 1 << 20;
/** Bytes of documents per message from an indexing thread. */
const DOCUMENTS_BYTES = 8 << 20;
/** Value of `dbVersion`: the Meilisearch release that defines this layout. */
const LAYOUT_VERSION = '1.50.0';

export interface DumpOptions extends Backup {
  readonly dumpUid: string;
  readonly archive: ArchiveWriter;
}

/** Adds everything to the archive. @throws BatchCanceled, ApiError */
export async function writeDump(options: DumpOptions): Promise<void> {
  const { state, archive, batch, clock, instanceUid } = options;
  const { progress } = batch;
  const documents = state.manifests.reduce((sum, index) => sum + liveDocumentCount(index), 0);
  progress.plan(['dumping documents', 'dumping tasks', 'committing']);
  progress.begin('dumping documents', documents);
  const dumpDate = formatDate(clock());
  await addJson(archive, V6.metadata, { dumpVersion: 'V6', dbVersion: LAYOUT_VERSION, dumpDate });
  await archive.addBytes(V6.instanceUid, Buffer.from(instanceUid));
  await addLines(options, V6.keys, state.keys.map(keyLine));
  await addJson(archive, V6.features, state.features);
  if (state.network.version !== NO_NETWORK.version)
    await addJson(archive, V6.network, state.network);
  if (state.aliases.length > 0) await addJson(archive, V6.aliases, { aliases: state.aliases });
  for (const [i, workspace] of state.chats.entries())
    await addJson(archive, ...dumpedChat(workspace, i));
  const webhooks = state.webhooks.map(({ uuid, ...facts }) => [uuid, facts]);
  if (webhooks.length > 0)
    await addJson(archive, V6.webhooks, { webhooks: Object.fromEntries(webhooks) });
  archive.addFolder(V6.indexes);
  for (const index of state.manifests) await addIndex(index, options);
  if (state.searchRules.length > 0) await addSearchRules(options, dumpDate);
  progress.begin('dumping tasks');
  await addLines(options, V6.batches, batchLines(state));
  await addTasks(options);
}

const addJson = (archive: ArchiveWriter, name: string, value: unknown): Promise<unknown> =>
  archive.addBytes(name, Buffer.from(`${JSON.stringify(value)}\n`));

const addLines = (
  { archive, batch }: DumpOptions,
  name: string,
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<void> => archive.addChunks(name, gathered(lines, batch.progress));

/** Joins lines with line ends into chunks of about `LINES_BYTES`. */
async function* gathered(
  lines: Iterable<string> | AsyncIterable<string>,
  progress: BatchProgress,
): AsyncGenerator<Uint8Array> {
  let text = '';
  for await (const line of lines) {
    progress.throwIfCanceled();
    text += `${line}\n`;
    if (text.length < LINES_BYTES) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

async function addIndex(manifest: IndexManifest, options: DumpOptions): Promise<void> {
  const { archive, damageOf } = options;
  const { uid, primaryKey, createdAt, updatedAt, settings, branchOf } = manifest;
  const folder = indexFolder(uid, manifest.id);
  throwIfDamaged(uid, damageOf(manifest.id), ' and cannot be dumped');
  const about = { uid, primaryKey, createdAt, updatedAt, ...(branchOf && { branchOf }) };
  await addJson(archive, V6.indexMetadata(folder), about);
  const portable = Object.entries(portableSettings(settings)).filter(([, value]) => value !== null);
  await addJson(archive, V6.indexSettings(folder), dumpedSettings(Object.fromEntries(portable)));
  const release = await options.holdFiles(manifest);
  try {
    await archive.addChunks(V6.indexDocuments(folder), documentsOf(manifest, options));
  } finally {
    release();
  }
}

/** Search rules are dumped as documents of an index. */
async function addSearchRules(options: DumpOptions, dumpDate: string): Promise<void> {
  const { archive, state } = options;
  const uid = SEARCH_RULES_UID;
  const about = { uid, primaryKey: 'uid', createdAt: dumpDate, updatedAt: dumpDate };
  await addJson(archive, V6.indexMetadata(uid), about);
  await addJson(archive, V6.indexSettings(uid), RULE_INDEX_SETTINGS);
  const lines = state.searchRules.map((rule) => JSON.stringify(dumpedRule(rule)));
  await addLines(options, V6.indexDocuments(uid), lines);
}

async function* documentsOf(
  { id, settings, segments }: IndexManifest,
  { locate, readOut, batch: { progress } }: DumpOptions,
): AsyncGenerator<Uint8Array> {
  const state = { location: locate(id), segments, settings, filter: null };
  let next: number | null = segments.length === 0 ? null : 0;
  while (next !== null) {
    progress.throwIfCanceled();
    const task = { ...state, fromDocId: next, bytesMax: DOCUMENTS_BYTES };
    const { lines, documentCount, nextDocId }: DocumentLines = await readOut(task);
    yield lines;
    progress.advance(documentCount);
    next = nextDocId;
  }
}

async function* batchLines({ view }: HeldState): AsyncGenerator<string> {
  for await (const batch of batchesInStore(view)) yield batchLine(batch);
}

/** Adds tasks, and the documents of enqueued tasks. */
async function addTasks(options: DumpOptions): Promise<void> {
  const { state, batch, archive } = options;
  await addLines(options, V6.tasks, taskLines(options));
  for await (const task of tasksInStore(state.view, isWaiting)) {
    batch.progress.throwIfCanceled();
    const lines = await waitingDocuments(task, options);
    if (lines !== null) await archive.addChunks(V6.updateFile(task.row.uid), lines);
  }
}

async function* taskLines(options: DumpOptions): AsyncGenerator<string> {
  const { state, instanceUid, batch } = options;
  const dump = { keys: state.keys.map((key) => JSON.parse(keyLine(key))), instanceUid };
  for await (const task of tasksInStore(state.view)) {
    const { row, stored } = task;
    const { work } = stored;
    batch.progress.advance();
    if (batch.taskUids.includes(row.uid)) yield ownLine(task, dump, options);
    else if (work === null) {
      const record = toTaskRecord(row, stored);
      yield taskLine(record, finishedKind(record, dump));
    } else {
      const contentBytes = work.content?.kind === 'beside' ? await contentOf(row.uid, state) : null;
      yield taskLine(
        toTaskRecord(row, stored),
        kindOf(work.type).dumped(work, stored, contentBytes),
      );
    }
  }
}

const contentOf = (uid: number, { view }: HeldState): Promise<Uint8Array | null> =>
  view.get(payloadKey(uid));

/** The task of this dump, shown as succeeded. */
function ownLine(
  { row, stored }: TaskInStore,
  dump: Parameters<typeof finishedKind>[1],
  { batch, dumpUid, clock }: DumpOptions,
): string {
  const { batchUid, startedAt } = batch;
  const finished = { batchUid, startedAt, finishedAt: clock() };
  const record = toTaskRecord(
    { ...row, ...finished, status: 'succeeded' },
    { ...stored, work: null, details: { dumpUid } },
  );
  return taskLine(record, finishedKind(record, dump));
}

/** Document lines of an enqueued addition; null for other tasks. */
async function waitingDocuments(
  { row, stored: { work } }: TaskInStore,
  { state, payloads }: DumpOptions,
): Promise<AsyncIterable<Uint8Array> | null> {
  if (work?.type !== 'documentAdditionOrUpdate') return null;
  const content = work.content as ContentPlace;
  const { format } = work as unknown as { readonly format: 'json' | 'ndjson' };
  if (content.kind === 'file') {
    const stored = payloads.onDisk(content);
    return linesOfFile(() => mapFile(stored.path), format, stored);
  }
  const payload = await contentOf(row.uid, state);
  if (payload === null) throw new Error(`the payload of task ${row.uid} is missing`);
  return documentLines(payload, format);
}
