/** The dumps and snapshots that exist, for downloads. Fronts read them; the indexer writes them. */
import { constants, promises as fs } from 'node:fs';
import path from 'node:path';
import type { BackupFile } from '../../core/backup-file.ts';
import { nullIfMissing } from '../files/io-errors.ts';

interface FoundBackup {
  /** The content stays that of the first read when a new file takes the name. */
  chunks(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

interface BackupFolders {
  readonly dumpFolder: string;
  readonly snapshotFolder: string;
}

/** Bytes in memory for each download. */
const CHUNK_BYTES = 256 * 1024;
/** Of one path segment that begins with no dot; files that are being written have other endings. */
const NAMES = { dump: /^[^./\\\0][^/\\\0]*\.dump$/, snapshot: /^[^./\\\0][^/\\\0]*\.snapshot$/ };
const KINDS = ['dump', 'snapshot'] as const;

export class BackupFiles {
  readonly #folders: Readonly<Record<BackupFile['kind'], string>>;

  constructor({ dumpFolder, snapshotFolder }: BackupFolders) {
    this.#folders = { dump: dumpFolder, snapshot: snapshotFolder };
  }

  /** The newest first. */
  async list(): Promise<readonly BackupFile[]> {
    const files: BackupFile[] = [];
    for (const kind of KINDS) {
      const folder = this.#folders[kind];
      for (const name of (await fs.readdir(folder).catch(nullIfMissing)) ?? []) {
        if (!NAMES[kind].test(name)) continue;
        const stats = await fs.lstat(path.join(folder, name)).catch(() => null);
        if (stats?.isFile())
          files.push({ name, kind, bytes: stats.size, modifiedMs: stats.mtimeMs });
      }
    }
    return files.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.name < b.name ? -1 : 1));
  }

  /** null = there is no such file; links are not followed. */
  async find(name: string): Promise<FoundBackup | null> {
    const kind = KINDS.find((each) => NAMES[each].test(name));
    if (kind === undefined) return null;
    const file = path.join(this.#folders[kind], name);
    const stats = await fs.lstat(file).catch(() => null);
    return stats?.isFile() ? { chunks: (signal) => chunksOf(file, signal) } : null;
  }
}

async function* chunksOf(file: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const handle = await fs.open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    while (!signal.aborted) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES));
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
