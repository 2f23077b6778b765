/**
 * Imports a dump into an empty data folder, in the order of api.md 16.3. Nothing may use the folder
 * before the import resolves.
 */

import { FeatureSwitches } from '../../catalog/feature-switches.ts';
import { IndexCatalog } from '../../catalog/index-catalog.ts';
import { formatDate } from '../../core/clock.ts';
import { ApiError } from '../../core/errors.ts';
import { isObject, parseJson } from '../../core/json.ts';
import { withAllDimensions } from '../../indexing/embedding-step.ts';
import { IndexWriter } from '../../indexing/index-writer.ts';
import { tryLocalRerankers } from '../../indexing/local-rerankers.ts';
import type { PipelineOptions } from '../../indexing/write-pipeline.ts';
import { BatchProgress } from '../../model/batch-progress.ts';
import { knownDimensions, withDimensions } from '../../model/embedders/embedder-dimensions.ts';
import { isIndexUid } from '../../model/schemas/schema.ts';
import type { Settings } from '../../model/settings.ts';
import type { Logger } from '../../observability/logger.ts';
import { openDataFolder } from '../../storage/data-folder/data-folder.ts';
import type { KeyValueStore } from '../../storage/database/key-value-store.ts';
import { RocksDbStore } from '../../storage/database/rocksdb-store.ts';
import { FsIndexFiles } from '../../storage/files/index-files.ts';
import { PayloadStore } from '../../storage/payload-store.ts';
import {
  type Dump,
  type DumpedIndex,
  type DumpFiles,
  DumpRefused,
  readDumpDate,
} from '../format/dump.ts';
import { readDump } from '../format/read-dump.ts';
import { importDocuments, PAYLOAD_BYTES } from './imported-documents.ts';
import { importInstance } from './imported-instance.ts';
import { importedSettings } from './imported-settings.ts';
import { importBatches, importTasks } from './imported-tasks.ts';

export interface DumpImport extends PipelineOptions {
  readonly files: DumpFiles;
  /** Of the data folder; empty. */
  readonly folder: string;
  /** Takes a line about the progress, for the log. */
  readonly report: (text: string) => void;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

interface Parts {
  readonly options: DumpImport;
  readonly dump: Dump;
  readonly store: KeyValueStore;
  readonly catalog: IndexCatalog;
  readonly features: FeatureSwitches;
  readonly payloads: PayloadStore;
  readonly indexFiles: FsIndexFiles;
}

/** @throws DumpRefused, ApiError for settings or documents that cannot be imported at all */
export async function importDump(options: DumpImport): Promise<void> {
  const { files, folder: root, log } = options;
  const dump = await readDump(files);
  log.info(
    `importing a dump of version ${dump.version}, made by server ${dump.serverVersion}${dump.date === null ? '' : ` on ${dump.date}`}: ${dump.indexes.length} indexes`,
  );
  const folder = await openDataFolder(root);
  const store = await RocksDbStore.open(folder.rocksdb);
  try {
    const parts: Parts = {
      options,
      dump,
      store,
      catalog: await IndexCatalog.load(store),
      features: await FeatureSwitches.load(store, []),
      payloads: new PayloadStore(folder.spool),
      indexFiles: new FsIndexFiles(folder.indexes),
    };
    await importInstance(dump, parts.features, store, log);
    for (const [i, index] of dump.indexes.entries())
      await importIndex(index, `${i + 1} of ${dump.indexes.length}`, parts);
    await importHistory(parts);
    parts.indexFiles.syncFolders();
  } finally {
    await store.close();
  }
}

async function importIndex(index: DumpedIndex, position: string, parts: Parts): Promise<void> {
  const { options, dump, store, catalog, features, payloads, indexFiles } = parts;
  const { uid, primaryKey, documents, branchOf } = index;
  if (!isIndexUid(uid)) throw new DumpRefused(`the dump holds an index with the uid \`${uid}\``);
  const { settings, warnings } = importedSettings(index.settings, features.current);
  for (const warning of warnings) options.log.warn(`index \`${uid}\`: ${warning}`);
  const complete = await withFoundDimensions(settings, index, options);
  await tryRerankers(complete, index, options);
  const [createdAt, updatedAt] = datesOf(index, dump);
  const change = catalog.begin();
  change.create(uid, primaryKey, createdAt);
  const branch = branchOf && { branchOf };
  const manifest = change.update(uid, { settings: complete, updatedAt, ...branch });
  await store.write(change.operations());
  change.apply();
  if (documents === null) return;
  const writer = new IndexWriter({
    ...options,
    manifest,
    location: indexFiles.locate(manifest.id),
    removeFiles: (prefix) => indexFiles.removeStartingWith(manifest.id, prefix),
  });
  let count = 0;
  await importDocuments({
    indexUid: uid,
    cause: `dump of ${dump.instanceUid} at ${dump.date}, index ${uid}`,
    updatedAt,
    writer,
    catalog,
    store,
    payloads,
    pieces: options.files.pieces(documents, PAYLOAD_BYTES),
    userProvided: userProvidedOf(settings),
    onDocuments: (added) => {
      count += added;
      options.report(`index \`${uid}\` (${position}): ${count} documents`);
    },
  });
  options.log.info(`index \`${uid}\` (${position}): ${count} documents imported`);
}

const userProvidedOf = ({ embedders }: Settings): string[] =>
  Object.keys(embedders).filter((name) => embedders[name]?.source === 'userProvided');

/**
 * Adds missing dimensions: those of the vectors in the documents, else those that providers answer.
 * Without either, the documents stay without vectors until the settings are sent again.
 */
async function withFoundDimensions(
  settings: Settings,
  index: DumpedIndex,
  { embedderOf, files, log }: DumpImport,
): Promise<Settings> {
  const embedders = { ...settings.embedders };
  for (const [name, embedder] of Object.entries(embedders)) {
    const found =
      knownDimensions(embedder) === null ? await dimensionsOf(name, index, files) : null;
    if (found !== null) embedders[name] = withDimensions(embedder, found);
  }
  const declared = { ...settings, embedders };
  try {
    return await withAllDimensions(declared, embedderOf, new BatchProgress());
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    log.warn(`index \`${index.uid}\` is not embedded: ${error.message}`);
    return declared;
  }
}

/** Fetches missing files of local rerankers. Where that fails, searches keep their order. */
async function tryRerankers(
  { rerankers }: Settings,
  { uid }: DumpedIndex,
  { scorePairs, log }: DumpImport,
): Promise<void> {
  if (scorePairs === undefined) return;
  try {
    await tryLocalRerankers(rerankers, {}, scorePairs, new BatchProgress().signal);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    log.warn(`index \`${uid}\`: ${error.message}`);
  }
}

function datesOf({ createdAt, updatedAt }: DumpedIndex, { date }: Dump): [string, string] {
  const made = readDumpDate(date) ?? 0;
  const created = readDumpDate(createdAt) ?? made;
  return [formatDate(created), formatDate(readDumpDate(updatedAt) ?? created)];
}

/** Documents that are looked into for a vector. */
const LOOKED_INTO_MAX = 1000;

/** Dimensions of the first vector for the embedder; lines that are no JSON are refused later. */
async function dimensionsOf(
  embedder: string,
  { documents }: DumpedIndex,
  files: DumpFiles,
): Promise<number | null> {
  if (documents === null) return null;
  let looked = 0;
  for await (const line of files.lines(documents)) {
    if (looked++ === LOOKED_INTO_MAX) return null;
    const found = firstVector(parseJson(line), embedder);
    if (found !== null) return found.length;
  }
  return null;
}

function firstVector(document: unknown, embedder: string): readonly unknown[] | null {
  const vectors = isObject(document) ? document['_vectors'] : null;
  const entry = isObject(vectors) ? vectors[embedder] : null;
  const embeddings = isObject(entry) ? entry['embeddings'] : entry;
  const first =
    Array.isArray(embeddings) && Array.isArray(embeddings[0]) ? embeddings[0] : embeddings;
  return Array.isArray(first) && first.length > 0 ? first : null;
}

async function importHistory({ options, dump, store, payloads }: Parts): Promise<void> {
  const { files, log } = options;
  for (const what of dump.leftOut) log.warn(what);
  const batches = await importBatches(dump.batches(), store);
  const { count, enqueued, refused } = await importTasks(dump.tasks(), batches, {
    files,
    store,
    payloads,
  });
  log.info(`${count} tasks imported, ${enqueued} of them go on`);
  if (refused.length > 0)
    log.warn(`failed, since this server cannot go on with them: ${refused.join(', ')}`);
}
