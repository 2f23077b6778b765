/**
 * After a commit of batches and merges: informs writers and fronts of the new states and deletes
 * obsolete files.
 */
import type { AppliedChange } from '../../catalog/index-catalog.ts';
import type { ObsoleteFiles } from '../../catalog/obsolete-files.ts';
import type { IndexerEvents } from '../../ipc/connection/indexer-protocol.ts';
import { manifestText } from '../../model/index-manifest.ts';
import type { Logger } from '../../observability/logger.ts';
import type { PayloadStore } from '../../storage/payload-store.ts';
import type { IndexWriterPort, IndexWriters } from '../processing/index-writers.ts';
import type { FinishedTask } from '../store/task-record.ts';

export type Publish = <K extends keyof IndexerEvents>(name: K, data: IndexerEvents[K]) => void;

export interface AfterCommitOptions {
  readonly writers: IndexWriters;
  readonly obsolete: ObsoleteFiles;
  readonly payloads: Pick<PayloadStore, 'remove'>;
  /** Sends an event to every front, before any later reply. */
  readonly publish: Publish;
  /** The index has a new state. */
  readonly onCommitted: (indexId: number) => void;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Informs writers and fronts of the new states.
 * @param author the writer that prepared the change; its state is current, other writers of these
 * indexes are closed
 * @returns ids of the indexes that the author stays open for
 */
export function announce(
  { writers, publish, onCommitted }: AfterCommitOptions,
  applied: AppliedChange,
  author: IndexWriterPort | null,
): number[] {
  const kept: number[] = [];
  for (const manifest of applied.published) {
    if (author !== null && writers.isCurrent(manifest.id, author)) {
      author.committed(manifest);
      kept.push(manifest.id);
    } else {
      writers.drop(manifest.id);
    }
    publish('indexPublished', { manifest: manifestText(manifest) });
  }
  for (const { id } of applied.published) onCommitted(id);
  for (const indexId of applied.deletedBytes.keys()) {
    writers.drop(indexId);
    onCommitted(indexId);
  }
  for (const removed of applied.removed) publish('indexRemoved', removed);
  return kept;
}

/**
 * Deletes payloads, obsolete folders and files once no front reads them; after a crash the next
 * start deletes them.
 * @param ended the tasks that have ended
 */
export function cleanUp(
  { payloads, obsolete, log }: AfterCommitOptions,
  applied: AppliedChange,
  ended: readonly Pick<FinishedTask, 'work'>[],
  nowMicros: number,
): void {
  obsolete.add(applied, nowMicros / 1000);
  for (const { work } of ended) {
    if (work?.content?.kind !== 'file') continue;
    try {
      payloads.remove(work.content.name);
    } catch (error) {
      log.warn(`a payload file could not be removed: ${String(error)}`);
    }
  }
}
