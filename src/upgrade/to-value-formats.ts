/**
 * Format 2 to 3: every value of the databases begins with the version of its kind, and tasks that
 * wait with a spool file know its checksum. The databases get new names: `rocksdb` and `embeddings`
 * become `rocksdb-3` and `embeddings-3`.
 *
 * Knows the two formats by itself, so that it stays as it is when later formats change the code.
 */
import path from 'node:path';
import { humanSize } from '../core/human-size.ts';
import { folderBytes } from '../storage/data-folder/data-folder.ts';
import { DataFolderRefused } from '../storage/data-folder/data-folder-check.ts';
import { keyRange } from '../storage/database/key-encoding.ts';
import type { Entry } from '../storage/database/key-value-store.ts';
import { AS_STORED, rewriteStore } from '../storage/database/rewrite-store.ts';
import { RocksDbStore } from '../storage/database/rocksdb-store.ts';
import { syncFolder } from '../storage/files/sync-folder.ts';
import { PayloadStore } from '../storage/payload-store.ts';
import type { StepOptions, UpgradeStep } from './upgrade-step.ts';

/** Of every kind, in format 3. */
const VALUE_VERSION = 1;
/** Room asked for, for each byte of the databases. */
const ROOM_RATIO = 1.2;

export const toValueFormats: UpgradeStep = {
  from: 2,
  to: { version: 3, since: '0.1.0' },

  async prepare(options) {
    const { root } = options;
    await checkRoom(options);
    // Nobody has the folder open while this is.
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
    `${root} has ${humanSize(free)} of free disk, and the upgrade needs about ${humanSize(needed)} for a time, ${humanSize(embeddings ?? 0)} of it for copies of vectors that were paid for (\`embeddings\`)`,
  );
}

/** Vectors that were paid for, if there are any. */
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
  const count = await rewriteStore(old, path.join(root, name), (entry) =>
    withVersion(change(entry)),
  );
  log.info(`upgrading: ${count} values of ${name} are written`);
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

/** The record of a task; the checksum is that of the spool file as it is now. */
function withChecksum(value: Uint8Array, payloads: PayloadStore): Uint8Array {
  const task = JSON.parse(new TextDecoder().decode(value)) as TaskInFormat2;
  const content = task.work?.content;
  if (content?.kind !== 'file') return value;
  // A task whose file is gone finds that out by itself.
  const checked = { ...content, crc32c: payloads.checksumOf(content.name) ?? 0 };
  const next = { ...task, work: { ...task.work, content: checked } };
  return new TextEncoder().encode(JSON.stringify(next));
}
