/**
 * Dumps of the versions V5 and V4, which servers of 0.28 to 0.30 and of 0.25 to 0.27 made:
 *
 *   metadata.json │ instance-uid │ keys │ index_uuids/data.jsonl: uid and folder of each index
 *   indexes/<uuid>/meta.json: settings and primary key │ indexes/<uuid>/documents.jsonl
 *   updates/data.jsonl: tasks with the events of their lives │ updates/updates_files/<uuid>
 *
 * A task of V4 has its index outside its content, and its success is spelled `Succeded`. A key of V4 has
 * eight bytes instead of a uid: it gets a new uid, and therefore a new value.
 */
import { v4 } from 'uuid';

import { formatDate, formatDuration } from '../../core/clock.ts';
import type { ErrorEnvelope } from '../../core/errors.ts';
import { isObject, type Json, objectOf, textOrNull } from '../../core/json.ts';
import type { ApiKey } from '../../model/api-key.ts';
import type { TaskRecord, TaskStatus } from '../../model/task.ts';
import {
  type Dump,
  type DumpAbout,
  type DumpedTask,
  type DumpFiles,
  DumpRefused,
  instanceUidIn,
  mustReadDumpDate,
  parseObject,
  readLines,
  WITHOUT_LATER_PARTS,
} from './dump.ts';
import { readKey, readKeyLine } from './dump-keys.ts';
import { dumpedKinds, readKind } from './dump-kinds.ts';
import { readListedIndexes } from './early-dumps.ts';

const FILES = {
  instanceUid: 'instance-uid',
  keys: 'keys',
  tasks: 'updates/data.jsonl',
  payload: (uuid: string): string => `updates/updates_files/${uuid}`,
} as const;

export async function readV5(files: DumpFiles, about: DumpAbout): Promise<Dump> {
  return {
    ...WITHOUT_LATER_PARTS,
    ...about,
    instanceUid: await instanceUidIn(files, FILES.instanceUid),
    indexes: await readListedIndexes(files, about, await creationDates(files)),
    keys: () => readLines(files, FILES.keys, about.version === 'V4' ? readV4Key : readKeyLine),
    tasks: () => readLines(files, FILES.tasks, (line) => readTask(line, files)),
  };
}

const readV4Key = (line: string): ApiKey => readKey({ ...parseObject(line, 'a key'), uid: v4() });

/** Enqueue dates of the tasks, by id. */
async function creationDates(files: DumpFiles): Promise<Map<unknown, string>> {
  const dates = new Map<unknown, string>();
  if (!files.has(FILES.tasks)) return dates;
  for await (const line of files.lines(FILES.tasks)) {
    const { id, events } = parseObject(line, 'a task');
    const date = eventOf(events, 'Created');
    if (typeof date === 'string') dates.set(id, date);
  }
  return dates;
}

/** The content of the event with this name; null without such an event. */
function eventOf(events: unknown, name: string): unknown {
  if (!Array.isArray(events)) return null;
  const found = (events as unknown[]).find((event) => isObject(event) && name in event);
  return (found as Json | undefined)?.[name] ?? null;
}

function readTask(line: string, files: DumpFiles): DumpedTask {
  const { id, content, events, index_uid = null } = parseObject(line, 'a task');
  if (!Number.isSafeInteger(id)) throw new DumpRefused(`a task of the dump has the id ${id}`);
  const uid = id as number;
  const { status, startedAt, finishedAt, result, error } = lifeOf(events);
  const [tag, members] = Object.entries(objectOf(content))[0] ?? ['', {}];
  const given = isObject(members) ? members : { deletion: members };
  const facts = kindOfContent(tag, { index_uid, ...given }, result);
  const file = facts.payload === null ? null : FILES.payload(facts.payload);
  const { type, work } = readKind(facts.kind, {
    uid,
    indexUid: facts.indexUid,
    customMetadata: null,
    details: {},
    documents: file !== null && files.has(file) ? file : null,
  });
  const isDone = status !== 'enqueued' || type === 'dumpCreation';
  const end = finishedAt ?? startedAt;
  const text = (micros: number | null) => (micros === null || !isDone ? null : formatDate(micros));
  const record: TaskRecord = {
    uid,
    type,
    batchUid: null,
    indexUid: facts.indexUid,
    canceledBy: null,
    error,
    status: isDone && status === 'enqueued' ? 'succeeded' : status,
    details: facts.details,
    duration: startedAt === null || end === null ? null : formatDuration(end - startedAt),
    enqueuedAt: formatDate(mustReadDumpDate(eventOf(events, 'Created'), `task ${uid}`)),
    startedAt: text(startedAt),
    finishedAt: text(end),
  };
  return { record, work: isDone ? null : work };
}

interface Life {
  readonly status: TaskStatus;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly result: unknown;
  readonly error: ErrorEnvelope | null;
}

function lifeOf(events: unknown): Life {
  const dateOf = (text: unknown) => (text === null ? null : mustReadDumpDate(text, 'a task'));
  const startedAt = dateOf(eventOf(events, 'Processing'));
  const done = eventOf(events, 'Succeeded') ?? eventOf(events, 'Succeded');
  const failure = eventOf(events, 'Failed');
  const end = isObject(done) ? done : isObject(failure) ? failure : null;
  if (end === null)
    return { status: 'enqueued', startedAt, finishedAt: null, result: null, error: null };
  return {
    status: end === failure ? 'failed' : 'succeeded',
    startedAt,
    finishedAt: dateOf(end['timestamp'] ?? null),
    result: end['result'] ?? null,
    error: isObject(end['error']) ? (end['error'] as unknown as ErrorEnvelope) : null,
  };
}

interface Content {
  /** In the form of V6. */
  readonly kind: unknown;
  readonly indexUid: string | null;
  readonly details: Json;
  /** Uuid of the documents file. */
  readonly payload: string | null;
}

/** @param result of a succeeded task; null for other tasks */
function kindOfContent(tag: string, members: Json, result: unknown): Content {
  const indexUid = textOrNull(members['index_uid']);
  const primaryKey = textOrNull(members['primary_key']);
  const shared = { indexUid, payload: null };
  const counts = isObject(result) ? Object.values(result)[0] : null;
  const counted = (count: string): unknown =>
    isObject(counts) ? counts[count] : result === null ? null : 0;
  const allowIndexCreation = members['allow_index_creation'] !== false;
  const deletion = { deletedDocuments: counted('deleted_documents') };
  switch (tag) {
    case 'DocumentAddition': {
      const method = members['merge_strategy'] === 'UpdateDocuments' ? 'update' : 'replace';
      const documentCount = Number(members['documents_count'] ?? 0);
      const indexedDocuments = counted('indexed_documents');
      return {
        ...shared,
        kind: dumpedKinds.addition({ method, primaryKey, documentCount, allowIndexCreation }),
        details: { receivedDocuments: documentCount, indexedDocuments },
        payload: String(members['content_uuid']),
      };
    }
    case 'DocumentDeletion': {
      const { deletion: given = members } = members;
      const ids = isObject(given) ? (given['Ids'] ?? given['documents_ids']) : null;
      if (!Array.isArray(ids)) return { ...shared, kind: dumpedKinds.clear(), details: deletion };
      const details = { providedIds: ids.length, ...deletion, originalFilter: null };
      return { ...shared, kind: dumpedKinds.deletionByIds(ids as string[]), details };
    }
    case 'SettingsUpdate': {
      const settings = objectOf(members['settings']);
      const isReset = members['is_deletion'] === true;
      return {
        ...shared,
        kind: dumpedKinds.settings({ settings, isReset, allowIndexCreation }),
        details: settings,
      };
    }
    case 'IndexDeletion':
      return { ...shared, kind: dumpedKinds.indexDeletion(), details: deletion };
    case 'IndexCreation':
      return { ...shared, kind: dumpedKinds.indexCreation(primaryKey), details: { primaryKey } };
    case 'IndexUpdate':
      return {
        ...shared,
        kind: dumpedKinds.indexUpdate(primaryKey, null),
        details: { primaryKey },
      };
    case 'Dump':
      return {
        ...shared,
        kind: dumpedKinds.dumpCreation([], null),
        details: { dumpUid: members['uid'] ?? null },
      };
    default:
      throw new DumpRefused(`a task of the dump is of the unknown kind \`${tag}\``);
  }
}
