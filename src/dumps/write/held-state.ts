/**
 * The state between two batches, held while a backup copies it and new tasks arrive: a view of the
 * database and the files that it names.
 */
import type { IndexCatalog } from '../../catalog/index-catalog.ts';
import type { ObsoleteFiles } from '../../catalog/obsolete-files.ts';
import { compareCodePoints } from '../../core/compare-text.ts';
import type { DocumentLines } from '../../indexing/files/document-lines.ts';
import type { IndexingTask } from '../../indexing/indexing-tasks.ts';
import type { ApiKey } from '../../model/api-key.ts';
import type { IndexManifest } from '../../model/index-manifest.ts';
import type { InstanceState } from '../../model/instance-state.ts';
import type { SearchRule } from '../../model/search-rule.ts';
import { LAUNCH_WEBHOOK_UUID, type Webhook } from '../../model/webhook.ts';
import type { KeyValueStore, StoreView } from '../../storage/database/key-value-store.ts';
import type { PayloadStore } from '../../storage/payload-store.ts';
import type { BackupBatch } from '../../tasks/processing/prepared-batch.ts';

/** Reads documents in an indexing thread. */
export type ReadStored = (task: IndexingTask<'readOut'>) => Promise<DocumentLines>;

export interface BackupSources {
  readonly store: KeyValueStore;
  readonly catalog: Pick<IndexCatalog, 'all'>;
  readonly obsolete: Pick<ObsoleteFiles, 'pin'>;
  readonly payloads: Pick<PayloadStore, 'hold' | 'onDisk' | 'pathOf'>;
  readonly instanceUid: string;
  readonly keys: () => Iterable<ApiKey>;
  readonly searchRules: () => Iterable<SearchRule>;
  readonly instanceState: () => InstanceState;
  /** Includes the webhook of the launch options. */
  readonly webhooks: () => readonly Webhook[];
  readonly locate: (indexId: number) => string;
  /** Keeps the files of the state on the disk until the returned function is called. */
  readonly holdFiles: (manifest: IndexManifest) => Promise<() => void>;
  /** Known damage of the index's files. */
  readonly damageOf: (indexId: number) => readonly string[];
  readonly readOut: ReadStored;
  /** Microseconds since 1970. */
  readonly clock: () => number;
}

export interface HeldState extends InstanceState {
  readonly view: StoreView;
  readonly manifests: readonly IndexManifest[];
  readonly keys: readonly ApiKey[];
  readonly searchRules: readonly SearchRule[];
  /** Webhooks created by requests. */
  readonly webhooks: readonly Webhook[];
  release(): Promise<void>;
}

/** A backup that is being written. */
export interface Backup extends BackupSources {
  readonly state: HeldState;
  readonly batch: BackupBatch;
}

/** RFC 3339 dates of keys sort as text. */
const byCreation = (a: ApiKey, b: ApiKey): number =>
  compareCodePoints(`${a.createdAt} ${a.uid}`, `${b.createdAt} ${b.uid}`);

/** Must be called between two batches. */
export function holdState(sources: BackupSources): HeldState {
  const view = sources.store.view();
  const manifests = [...sources.catalog.all()];
  const unpin = sources.obsolete.pin(manifests);
  const releasePayloads = sources.payloads.hold();
  return {
    view,
    manifests,
    keys: [...sources.keys()].sort(byCreation),
    searchRules: [...sources.searchRules()],
    ...sources.instanceState(),
    webhooks: sources.webhooks().filter(({ uuid }) => uuid !== LAUNCH_WEBHOOK_UUID),
    release: async () => {
      unpin();
      try {
        releasePayloads();
      } finally {
        await view.close();
      }
    },
  };
}
