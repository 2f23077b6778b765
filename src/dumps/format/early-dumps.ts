/**
 * Dumps of the versions V3 (servers of 0.24), V2 (0.21 to 0.23) and V1 (up to 0.20). Their servers had
 * neither API keys nor tasks in the form of later ones: indexes with settings and documents are read.
 *
 *   V2, V3   metadata.json │ index_uuids/data.jsonl: uid and uuid of each index
 *            indexes/<uuid>/meta.json: settings and primary key │ indexes/<uuid>/documents.jsonl
 *            updates/data.jsonl; V2 names the folders index-<uuid>
 *   V1       metadata.json: the indexes too │ <uid>/settings.json │ <uid>/documents.jsonl
 *            <uid>/updates.jsonl
 */
import { isObject, type Json, objectOf, textOrNull } from '../../core/json.ts';
import {
  type Dump,
  type DumpAbout,
  type DumpedIndex,
  type DumpFiles,
  DumpRefused,
  parseObject,
  WITHOUT_LATER_PARTS,
} from './dump.ts';

const LIST = 'index_uuids/data.jsonl';
const UPDATES = 'updates/data.jsonl';
/** States of updates that have ended. */
const ENDED: readonly unknown[] = ['processed', 'failed', 'aborted'];

export async function readV3(files: DumpFiles, about: DumpAbout): Promise<Dump> {
  const indexes = await readListedIndexes(files, about);
  const leftOut = await aboutUpdates(files, [UPDATES], about);
  return { ...WITHOUT_LATER_PARTS, ...about, indexes, leftOut };
}

/** The indexes of V2 to V5. @param createdAt dates by the id of the task that created an index */
export async function readListedIndexes(
  files: DumpFiles,
  { version, date }: DumpAbout,
  createdAt: ReadonlyMap<unknown, string> = new Map(),
): Promise<DumpedIndex[]> {
  const indexes: DumpedIndex[] = [];
  for await (const line of files.lines(LIST)) {
    const { uid, index_meta, ...listed } = parseObject(line, LIST);
    const { uuid, creation_task_id } = { ...listed, ...objectOf(index_meta) };
    const folder = version === 'V2' ? `indexes/index-${uuid}` : `indexes/${uuid}`;
    const meta = `${folder}/meta.json`;
    if (typeof uid !== 'string' || !files.has(meta))
      throw new DumpRefused(`${LIST} of the dump names an index that it does not hold`);
    const { settings, primaryKey, primary_key } = parseObject(await files.text(meta), meta);
    indexes.push({
      uid,
      primaryKey: textOrNull(primaryKey) ?? textOrNull(primary_key),
      createdAt: createdAt.get(creation_task_id) ?? date,
      updatedAt: date,
      settings: objectOf(settings),
      documents: documentsIn(files, folder),
    });
  }
  return indexes;
}

/** @param listed `indexes` of metadata.json */
export async function readV1(files: DumpFiles, about: DumpAbout, listed: unknown): Promise<Dump> {
  const indexes: DumpedIndex[] = [];
  for (const given of Array.isArray(listed) ? listed : []) {
    const { uid, primaryKey, createdAt, updatedAt } = objectOf(given);
    const name = `${uid}/settings.json`;
    if (typeof uid !== 'string' || !files.has(name))
      throw new DumpRefused('metadata.json of the dump names an index that it does not hold');
    indexes.push({
      uid,
      primaryKey: textOrNull(primaryKey),
      createdAt: textOrNull(createdAt),
      updatedAt: textOrNull(updatedAt),
      settings: parseObject(await files.text(name), name),
      documents: documentsIn(files, uid),
    });
  }
  const updates = indexes.map(({ uid }) => `${uid}/updates.jsonl`);
  const leftOut = await aboutUpdates(files, updates, about);
  return { ...WITHOUT_LATER_PARTS, ...about, indexes, leftOut };
}

function documentsIn(files: DumpFiles, folder: string): string | null {
  const name = `${folder}/documents.jsonl`;
  return files.has(name) ? name : null;
}

/** A line for the log about the updates, which are not read; empty without updates. */
async function aboutUpdates(
  files: DumpFiles,
  names: readonly string[],
  { version }: DumpAbout,
): Promise<string[]> {
  let [count, waiting] = [0, 0];
  for (const name of names.filter((name) => files.has(name)))
    for await (const line of files.lines(name)) {
      count++;
      if (!ENDED.includes(stateOf(parseObject(line, name)))) waiting++;
    }
  return count === 0
    ? []
    : [`${count} updates of the ${version} dump are left out, ${waiting} of them unfinished`];
}

/** V1 has an update as it is, later versions in a member. */
const stateOf = ({ update, status }: Json): unknown =>
  isObject(update) ? update['status'] : status;
