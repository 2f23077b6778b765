/** Segment files of a data folder that caches an object store: a deleted file is deleted in both. */
import { FsIndexFiles } from '../files/index-files.ts';
import type { StoredFiles } from './stored-files.ts';

export class StoredIndexFiles extends FsIndexFiles {
  readonly #stored: Pick<StoredFiles, 'removeSegment' | 'removeIndex'>;

  constructor(folder: string, stored: Pick<StoredFiles, 'removeSegment' | 'removeIndex'>) {
    super(folder);
    this.#stored = stored;
  }

  override removeFile(indexId: number, name: string): boolean {
    const isRemoved = super.removeFile(indexId, name);
    if (isRemoved && !name.endsWith('.tmp')) this.#stored.removeSegment({ indexId, name });
    return isRemoved;
  }

  override removeIndex(indexId: number): boolean {
    const isRemoved = super.removeIndex(indexId);
    if (isRemoved) this.#stored.removeIndex(indexId);
    return isRemoved;
  }
}
