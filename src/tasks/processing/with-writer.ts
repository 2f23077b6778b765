/** Runs work of an index writer for a batch; a failure becomes the error of the tasks. */
import type { CatalogChange } from '../../catalog/index-catalog.ts';
import type { WireError } from '../../core/errors.ts';
import type { IndexWriterPort } from './index-writers.ts';
import { type BatchContext, toTaskError, type WrittenSegments } from './prepared-batch.ts';

type Used<T> =
  | { readonly error: null; readonly change: T; readonly written: WrittenSegments }
  | { readonly error: WireError };

/** Drops the writer after a failure, because it may hold half a change. */
export async function withWriter<T extends { readonly changeIds: readonly string[] }>(
  uid: string,
  catalog: CatalogChange,
  context: BatchContext,
  action: (writer: IndexWriterPort) => Promise<T>,
): Promise<Used<T>> {
  const index = catalog.must(uid);
  let release: (() => void) | null = null;
  try {
    const acquired = await context.writers.acquire(index);
    release = acquired.release;
    const change = await action(acquired.writer);
    const { changeIds } = change;
    return { error: null, change, written: { indexId: index.id, ...acquired, changeIds } };
  } catch (error) {
    context.writers.drop(index.id);
    release?.();
    return { error: toTaskError(error, context) };
  }
}
