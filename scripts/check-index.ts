/**
 * `npm run check-index -- DIR`: verifies a data folder that no server has open. Prints a report.
 * Exit code 0 = intact, 1 = damaged, 2 = the folder cannot be checked.
 */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { IndexCatalog } from '../src/catalog/index-catalog.ts';
import { orphanFiles } from '../src/catalog/orphan-files.ts';
import { counted } from '../src/core/counted.ts';
import { humanSize } from '../src/core/human-size.ts';
import type { IndexManifest } from '../src/model/index-manifest.ts';
import { dataFolderAt } from '../src/storage/data-folder/data-folder.ts';
import { checkVersion } from '../src/storage/data-folder/data-folder-check.ts';
import { RocksDbStore } from '../src/storage/database/rocksdb-store.ts';
import { FsDirectory } from '../src/storage/files/fs-directory.ts';
import { FsIndexFiles } from '../src/storage/files/index-files.ts';
import { OTHER_UIDS } from '../src/tasks/kinds/task-kinds.ts';
import { TaskStore } from '../src/tasks/store/task-store.ts';
import { type IndexReport, verifyIndex } from './lib/verify-index.ts';

const HELP =
  'usage: npm run check-index -- DIR\n  DIR  data folder (--db-path) of a server that is not running\n';

/** Prints each line at once; resolves with the exit code. */
export async function checkIndex(dir: string, print: (line: string) => void): Promise<0 | 1 | 2> {
  const folder = dataFolderAt(dir);
  let store: RocksDbStore;
  try {
    checkVersion(folder.root);
    store = await RocksDbStore.open(folder.rocksdb, { mustExist: true });
  } catch (error) {
    print(error instanceof Error ? error.message : String(error));
    return 2;
  }
  try {
    const catalog = await IndexCatalog.load(store);
    const tasks = await TaskStore.open(store, OTHER_UIDS);
    const files = new FsIndexFiles(folder.indexes);
    print(`${folder.root}: ${tasks.length} tasks, ${tasks.pending.size} of them unfinished`);
    let problems = await checkPending(tasks, print);
    for (const manifest of [...catalog.all()].sort(byUid))
      problems += checkOne(manifest, folder.indexes, print);
    listUnnamed(files, [...catalog.all()], print);
    print(problems === 0 ? 'sound' : `${problems} problems`);
    return problems === 0 ? 0 : 1;
  } finally {
    await store.close();
  }
}

const byUid = (a: IndexManifest, b: IndexManifest): number => (a.uid < b.uid ? -1 : 1);

/** Verifies that every unfinished task has a readable record. */
async function checkPending(tasks: TaskStore, print: (line: string) => void): Promise<number> {
  try {
    await tasks.load([...tasks.pending.uids]);
    return 0;
  } catch (error) {
    print(`  PROBLEM ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
}

function checkOne(manifest: IndexManifest, indexes: string, print: (line: string) => void): number {
  const folder = path.join(indexes, String(manifest.id));
  if (manifest.segments.length > 0 && !fs.existsSync(folder)) {
    print(`index ${manifest.uid}\n  PROBLEM its folder ${folder} is missing`);
    return 1;
  }
  const report = verifyIndex(manifest, new FsDirectory(folder));
  print(describe(report));
  for (const problem of report.problems) print(`  PROBLEM ${problem}`);
  return report.problems.length;
}

function describe({
  uid,
  id,
  generation,
  documentCount,
  segmentCount,
  bytes,
}: IndexReport): string {
  return `index ${uid} (folder ${id}, generation ${generation}): ${counted(documentCount, 'document')} in ${counted(segmentCount, 'segment')}, ${humanSize(bytes)}`;
}

function listUnnamed(
  files: FsIndexFiles,
  manifests: readonly IndexManifest[],
  print: (line: string) => void,
): void {
  const { indexIds, files: orphans } = orphanFiles(files, manifests);
  for (const id of indexIds) print(`  orphan folder indexes/${id}`);
  for (const { indexId, name } of orphans) print(`  orphan file indexes/${indexId}/${name}`);
  if (indexIds.length + orphans.length > 0)
    print('  (left by an interrupted run; the server removes them when it starts)');
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [dir] = process.argv.slice(2);
  if (dir === undefined || dir.startsWith('-')) process.stdout.write(HELP);
  process.exitCode =
    dir === undefined || dir.startsWith('-')
      ? 2
      : await checkIndex(dir, (line) => void process.stdout.write(`${line}\n`));
}
