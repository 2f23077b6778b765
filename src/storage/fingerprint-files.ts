/**
 * Sums of fingerprints, in `fingerprints/` of the data folder: `<index id>.json`, in the form of
 * checked-json.ts. Files are not synced and may be removed; the cost is that the next fingerprint reads all documents. Fronts of a folder replace each other's files.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import { checkedJson, readCheckedJson } from './files/checked-json.ts';
import { createFolders } from './files/create-folders.ts';
import { replaceFile } from './files/sync-folder.ts';

const NAME = /^(\d+)\.json/;
const OWNER_ONLY = 0o700;

export class FingerprintFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** null if the file is absent or damaged. */
  async read(indexId: number): Promise<unknown> {
    const content = await fs.readFile(this.#fileOf(indexId)).catch(() => Buffer.alloc(0));
    return readCheckedJson(content) ?? null;
  }

  /** @param indexIds of all indexes: files of others are removed */
  async write(indexId: number, content: unknown, indexIds: readonly number[]): Promise<void> {
    createFolders(this.#folder, OWNER_ONLY);
    for (const name of await fs.readdir(this.#folder)) {
      const [, id] = NAME.exec(name) ?? [];
      if (id !== undefined && !indexIds.includes(Number(id)))
        await fs.rm(path.join(this.#folder, name), { force: true });
    }
    replaceFile(this.#fileOf(indexId), checkedJson(content));
  }

  #fileOf(indexId: number): string {
    return path.join(this.#folder, `${indexId}.json`);
  }
}
