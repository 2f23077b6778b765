/**
 * Files of local models: `<root>/<model>/…`, or `<root>/<model>@<revision>/…`, with the layout of a
 * model hub. A download is renamed to its final name when it is complete.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createFolders } from './files/create-folders.ts';
import { nullIfMissing } from './files/io-errors.ts';
import { syncFolder } from './files/sync-folder.ts';

interface FileDigest {
  readonly algorithm: 'sha1' | 'sha256';
  /** Prefix bytes that the digest of a file includes. */
  readonly prefix: string;
  readonly hex: string;
}

const OWNER_ONLY = 0o700;

export class StoredModel {
  readonly path: string;

  /** @param model name of one or two parts @param revision null = default revision */
  constructor(root: string, model: string, revision: string | null) {
    this.path = join(root, revision === null ? model : `${model}@${revision}`);
  }

  async readJson(name: string): Promise<object | null> {
    const text = await readFile(join(this.path, name), 'utf8').catch(nullIfMissing);
    return text === null ? null : (JSON.parse(text) as object);
  }

  find(names: readonly string[]): string | null {
    return names.map((name) => join(this.path, name)).find((path) => existsSync(path)) ?? null;
  }

  async write(
    name: string,
    { algorithm, prefix, hex }: FileDigest,
    fill: (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const path = join(this.path, name);
    createFolders(dirname(path), OWNER_ONLY);
    const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
    const digest = createHash(algorithm).update(prefix);
    const file = await open(draft, 'wx');
    try {
      await fill(async (bytes) => {
        digest.update(bytes);
        await file.writeFile(bytes);
      });
      const found = digest.digest('hex');
      if (found !== hex)
        throw new Error(`\`${name}\` has the ${algorithm} ${found}, expected ${hex}`);
      await file.sync();
      await file.close();
      await rename(draft, path);
    } catch (error) {
      await file.close().catch(() => undefined);
      await rm(draft, { force: true });
      throw error;
    }
    await syncFolder(dirname(path));
  }
}
