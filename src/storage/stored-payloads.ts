/** Spool files of a data folder that caches an object store: a removed file is removed in both. */
import type { StoredFiles } from './object-store/stored-files.ts';
import { PayloadStore } from './payload-store.ts';

export class StoredPayloads extends PayloadStore {
  readonly #stored: Pick<StoredFiles, 'removePayload'>;

  constructor(folder: string, stored: Pick<StoredFiles, 'removePayload'>) {
    super(folder);
    this.#stored = stored;
  }

  override remove(name: string): void {
    super.remove(name);
    this.#stored.removePayload(name);
  }
}
