/**
 * Upgrade from format 2 to 3: every value of the databases gets a version byte, and waiting tasks
 * with a spool file get its checksum. The databases are renamed: `rocksdb` and `embeddings` become
 * `rocksdb-3` and `embeddings-3`.
 *
 * Defines both formats itself, so that later changes of the formats do not affect it.
 */
import path from 'node:path';
import { humanSize } from '../core/human-size.ts';
import { jsonBytes } from '../core/json.ts';
import { folderBytes } from '../storage/data-folder/data-folder.ts';
import { DataFolderRefused } from '../storage/data-folder/data-folder-check.ts';
import { createDatabase } from '../storage/database/bulk-writes.ts';
import { keyRange } from '../storage/database/key-encoding.ts';
import type { Entry } from '../storage/database/key-value-store.ts';
import { RocksDbStore } from '../storage/database/rocksdb-store.ts';
import { syncFolder } from '../storage/files/sync-folder.ts';
import { PayloadStore } from '../storage/payload-store.ts';
import type { StepOptions, UpgradeStep } from './upgrade-step.ts';

/** Version byte of every kind in format 3. */
const VALUE_VERSION = 1;
/** Key and value as stored bytes. */
const AS_STORED = { values: null } as const;
/** Free bytes required per byte of the databases. */
const ROOM_RATIO = 1.2;

export const toValueFormats: UpgradeStep = {
  from: 2,
  to: { version: 3, since: '0.1.0' },

  async prepare(options) {
    const { root } = options;
    await checkRoom(options);
    // No other process has the folder open during the upgrade.
    const old = await RocksDbStore.open(path.join(root, 'rocksdb'), AS_STORED);
    try {
      const tasks = keyRange('task');
      const payloads = new PayloadStore(path.join(root, 'spool'));
      await copy(old, 'rocksdb-3', options, ({ key, value }) =>
        isWithin(key, tasks) ? withChecksum(value, payloads) : value,
      );
      await copyEmbeddings(options);
      await syncFolder(root);
    } catch (error) {
      await old.close();
      throw error;
    }
    return () => old.close();
  },
};

async function checkRoom({ root, freeBytes }: StepOptions): Promise<void> {
  const [state, embeddings] = await Promise.all(
    ['rocksdb', 'embeddings'].map((name) => folderBytes(path.join(root, name))),
  );
  const needed = Math.ceil(((state ?? 0) + (embeddings ?? 0)) * ROOM_RATIO);
  const free = freeBytes();
  if (free === null || free >= needed) return;
  throw new DataFolderRefused(
    `${root} has ${humanSize(free)} of free disk space; the upgrade temporarily needs about ${humanSize(needed)}, ${humanSize(embeddings ?? 0)} of it to copy cached embeddings (\`embeddings\`)`,
  );
}

/** Copies the cached embeddings, if any. */
async function copyEmbeddings(options: StepOptions): Promise<void> {
  const folder = path.join(options.root, 'embeddings');
  if ((await folderBytes(folder)) === 0) return;
  const old = await RocksDbStore.open(folder, AS_STORED);
  try {
    await copy(old, 'embeddings-3', options, ({ value }) => value);
  } finally {
    await old.close();
  }
}

async function copy(
  old: RocksDbStore,
  name: string,
  { root, log }: StepOptions,
  change: (entry: Entry) => Uint8Array,
): Promise<void> {
  const changed = async function* (): AsyncGenerator<Entry> {
    for await (const entry of old.iterate({}))
      yield { key: entry.key, value: withVersion(change(entry)) };
  };
  const count = await createDatabase(path.join(root, name), changed(), AS_STORED);
  log.info(`upgrade: ${count} values of ${name} written`);
}

function withVersion(value: Uint8Array): Uint8Array {
  const stored = new Uint8Array(1 + value.length);
  stored[0] = VALUE_VERSION;
  stored.set(value, 1);
  return stored;
}

const isWithin = (key: Uint8Array, { gte, lt }: { gte: Uint8Array; lt: Uint8Array }): boolean =>
  Buffer.compare(key, gte) >= 0 && Buffer.compare(key, lt) < 0;

interface TaskInFormat2 {
  readonly work: {
    readonly content?: { readonly kind: string; readonly name: string } | null;
  } | null;
}

/** The record of a task with the checksum of its current spool file. */
function withChecksum(value: Uint8Array, payloads: PayloadStore): Uint8Array {
  const task = JSON.parse(new TextDecoder().decode(value)) as TaskInFormat2;
  const content = task.work?.content;
  if (content?.kind !== 'file') return value;
  // A task whose file is missing fails when it runs.
  const checked = { ...content, crc32c: payloads.checksumOf(content.name) ?? 0 };
  const next = { ...task, work: { ...task.work, content: checked } };
  return jsonBytes(next);
}
