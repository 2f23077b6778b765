/**
 * Thread entry of the payload pool: validates one spool file, converts CSV to NDJSON, removes
 * refused files; checks one filter of a task.
 */
import { workerData } from 'node:worker_threads';
import { Deadline } from '../src/core/deadline.ts';
import { checkPayload, checkPayloadTo } from '../src/indexing/payload/check-payload.ts';
import type {
  CheckedFile,
  FilterCheckTask,
  PayloadCheckTask,
} from '../src/ipc/threads/payload-pool.ts';
import { withOutcome } from '../src/ipc/threads/thread-outcome.ts';
import { FilterClock } from '../src/model/filter/filter-clock.ts';
import { parseTaskFilter } from '../src/model/filter/parse-filter.ts';
import { dataFolderAt } from '../src/storage/data-folder/data-folder.ts';
import { mapFile } from '../src/storage/files/file-mapping.ts';
import { toStorageError } from '../src/storage/files/io-errors.ts';
import { PayloadStore } from '../src/storage/payload-store.ts';

const { dataDir } = workerData as { readonly dataDir: string };
const store = new PayloadStore(dataFolderAt(dataDir).spool);

async function check(task: PayloadCheckTask): Promise<CheckedFile> {
  try {
    const file = mapFile(store.pathOf(task.name));
    try {
      return task.format === 'csv' ? await convert(file.bytes, task) : verify(file.bytes, task);
    } finally {
      file.close();
    }
  } catch (error) {
    store.remove(task.name);
    throw error;
  }
}

export default withOutcome(check, toStorageError);

export const selects = withOutcome(
  async ({ filter: { form, features }, code }: FilterCheckTask): Promise<boolean> => {
    const clock = new FilterClock(
      Deadline.after(0, () => performance.now()),
      code,
    );
    return parseTaskFilter(form, code, features, clock) !== null;
  },
  (error) => error,
);

const verify = (bytes: Uint8Array, task: PayloadCheckTask): CheckedFile => ({
  ...checkPayload(bytes, task),
  converted: null,
});

async function convert(bytes: Uint8Array, task: PayloadCheckTask): Promise<CheckedFile> {
  const writer = store.create();
  try {
    const checked = checkPayloadTo(bytes, task, (chunk) => writer.write(chunk));
    const converted = await writer.finish();
    store.remove(task.name);
    return { ...checked, converted };
  } catch (error) {
    writer.abort();
    throw error;
  }
}
