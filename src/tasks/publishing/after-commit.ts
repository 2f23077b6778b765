/**
 * What follows a commit of batches and merges: writers and fronts learn of the new states, and
 * files that nobody needs go.
 */
import type { AppliedChange } from '../../catalog/index-catalog.ts';
import type { ObsoleteFiles } from '../../catalog/obsolete-files.ts';
import type { AppliedRules } from '../../catalog/search-rule-store.ts';
import type { IndexerEvents } from '../../ipc/connection/indexer-protocol.ts';
import { encodeManifest } from '../../model/index-manifest.ts';
import type { Logger } from '../../observability/logger.ts';
import type { PayloadStore } from '../../storage/payload-store.ts';
import type { IndexWriterPort, IndexWriters } from '../processing/index-writers.ts';
import type { TaskWork } from '../store/stored-task.ts';

export type Publish = <K extends keyof IndexerEvents>(name: K, data: IndexerEvents[K]) => void;

export interface AfterCommitOptions {
  readonly writers: IndexWriters;
  readonly retired: ObsoleteFiles;
  readonly payloads: Pick<PayloadStore, 'remove'>;
  /** Reaches every front, before any reply that is sent later. */
  readonly publish: Publish;
  /** The index has a new state. */
  readonly onCommitted: (indexId: number) => void;
  readonly log: Pick<Logger, 'warn'>;
}

export class AfterCommit {
  readonly #options: AfterCommitOptions;

  constructor(options: AfterCommitOptions) {
    this.#options = options;
  }

  /**
   * Brings writers and fronts to the new states.
   * @param author prepared the change, so it knows its segments; other writers of these indexes are
   * closed
   * @returns ids of the indexes that the author goes on with
   */
  announce(applied: AppliedChange, author: IndexWriterPort | null): number[] {
    const { writers, publish, onCommitted } = this.#options;
    const kept: number[] = [];
    for (const manifest of applied.published) {
      if (author !== null && writers.isCurrent(manifest.id, author)) {
        author.committed(manifest);
        kept.push(manifest.id);
      } else {
        writers.drop(manifest.id);
      }
      publish('indexPublished', { manifest: new TextDecoder().decode(encodeManifest(manifest)) });
    }
    for (const { id } of applied.published) onCommitted(id);
    for (const indexId of applied.deletedIndexIds) {
      writers.drop(indexId);
      onCommitted(indexId);
    }
    for (const removed of applied.removed) publish('indexRemoved', removed);
    return kept;
  }

  /** Brings fronts to the new state of the search rules. */
  announceRules({ published, removed }: AppliedRules): void {
    const { publish } = this.#options;
    for (const rule of published) publish('searchRulePublished', rule);
    if (removed.length > 0) publish('searchRulesRemoved', { uids: removed });
  }

  /**
   * Removes what nobody needs any more, replaced segments once no front reads them; what a crash
   * leaves is removed at a later start.
   * @param works of the tasks that have ended
   */
  cleanUp(applied: AppliedChange, works: readonly (TaskWork | null)[], nowMicros: number): void {
    const { payloads, retired, log } = this.#options;
    retired.retire(applied, nowMicros / 1000);
    for (const work of works) {
      if (work?.content?.kind !== 'file') continue;
      try {
        payloads.remove(work.content.name);
      } catch (error) {
        log.warn(`a payload file could not be removed: ${String(error)}`);
      }
    }
  }
}
