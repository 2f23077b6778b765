/**
 * Adds the snapshot of a held state to its object store: the list of its objects, and its database
 * (store-snapshots.ts).
 */
import { throwIfDamaged } from '../../core/errors.ts';
import { segmentFilesOf } from '../../model/index-manifest.ts';
import type { Entry, WriteOperation } from '../../storage/database/key-value-store.ts';
import type { StoredObject } from '../../storage/object-store/sealed-objects.ts';
import type { StoreSnapshots } from '../../storage/object-store/store-snapshots.ts';
import { payloadObject, segmentObject } from '../../storage/object-store/stored-files.ts';
import type { BackupBatch } from '../../tasks/processing/prepared-batch.ts';
import { isCopied, tasksOfCopy } from './copied-rows.ts';
import type { HeldState } from './held-state.ts';
import type { SnapshotSources } from './write-snapshot.ts';

export interface StoreSnapshotOptions extends Pick<SnapshotSources, 'damageOf' | 'clock'> {
  readonly state: HeldState;
  readonly batch: BackupBatch;
  readonly snapshots: Pick<StoreSnapshots, 'add'>;
  readonly name: string;
  /** RFC 3339. */
  readonly createdAt: string;
}

/** @throws BatchCanceled, ApiError, ObjectStoreError */
export async function writeStoreSnapshot({
  state,
  batch,
  snapshots,
  name,
  createdAt,
  damageOf,
  clock,
}: StoreSnapshotOptions): Promise<void> {
  const { progress } = batch;
  progress.plan(['copying the database', 'committing']);
  progress.begin('copying the database');
  const { waiting, changes } = await tasksOfCopy(state.view, batch, clock());
  for (const { uid, id } of state.manifests)
    throwIfDamaged(uid, damageOf(id), ' and cannot be part of a snapshot');
  const objects: StoredObject[] = [
    ...state.manifests.flatMap(segmentFilesOf).map(segmentObject),
    ...waiting.map(payloadObject),
  ];
  await snapshots.add({
    name,
    createdAt,
    entries: withChanges(state.view.iterate({}), changes),
    objects,
    onEntry: () => {
      progress.throwIfCanceled();
      progress.advance(1);
    },
  });
}

/** The entries that a copy has, in the order of their keys; every changed key must exist. */
export async function* withChanges(
  entries: AsyncIterable<Entry>,
  changes: readonly WriteOperation[],
): AsyncGenerator<Entry> {
  const changed = new Map(changes.map((change) => [textOf(change.key), change]));
  for await (const entry of entries) {
    if (!isCopied(entry.key)) continue;
    const change = changed.get(textOf(entry.key));
    if (change?.kind !== 'delete') yield change ?? entry;
  }
}

const textOf = (key: Uint8Array): string => Buffer.from(key).toString('latin1');
