/**
 * Program of `gannet restore` from a store and of `gannet move`, loaded by the command: copies an
 * instance between data folders and object stores.
 */

import { checkIndex } from '../scripts/check-index.ts';
import type { CopyRequest } from '../src/cli/copy-program.ts';
import { type CopyReport, copyInstance } from '../src/dumps/read/copy-instance.ts';
import {
  type CopySource,
  folderSource,
  orClose,
  snapshotSource,
  storeSource,
} from '../src/dumps/read/copy-source.ts';
import { type CopyTarget, folderTarget, storeTarget } from '../src/dumps/read/copy-target.ts';
import type { ObjectStore } from '../src/storage/object-store/object-store.ts';
import { openObjectStore } from '../src/storage/object-store/open-store.ts';
import { slateDbVariables } from '../src/storage/object-store/slatedb-place.ts';
import { isStoreUrl } from '../src/storage/object-store/store-url.ts';

/** @throws ObjectStoreError, DataFolderRefused, CopyFailed */
export async function copy(request: CopyRequest): Promise<CopyReport> {
  const { from, to, env, onProgress } = request;
  // SlateDB reads the variables of the process.
  const { env: variables } = process;
  for (const url of [from, to].filter(isStoreUrl))
    Object.assign(variables, slateDbVariables(url, env));
  const source = await sourceOf(request);
  try {
    const target = await targetOf(request, source);
    try {
      return await copyInstance(source, target, onProgress);
    } finally {
      target.close();
    }
  } finally {
    await source.close();
  }
}

const openStore = (url: string, env: CopyRequest['env']): ObjectStore =>
  openObjectStore(url, { env, nowMs: Date.now, random: Math.random });

async function sourceOf({ from, snapshot, env }: CopyRequest): Promise<CopySource> {
  if (!isStoreUrl(from)) return folderSource(from);
  const objects = openStore(from, env);
  const source =
    snapshot === undefined
      ? storeSource(from, objects, env)
      : snapshotSource(from, objects, snapshot === 'newest' ? null : snapshot);
  return orClose(source, () => objects.close());
}

async function targetOf({ to, env }: CopyRequest, { name }: CopySource): Promise<CopyTarget> {
  if (!isStoreUrl(to)) return folderTarget(to, problemsOf);
  const objects = openStore(to, env);
  return orClose(storeTarget(to, objects, env, name), () => objects.close());
}

/** Reads every byte of a data folder. */
async function problemsOf(root: string): Promise<readonly string[]> {
  const lines: string[] = [];
  const code = await checkIndex(root, (line) => lines.push(line));
  return code === 0 ? [] : lines;
}
