/**
 * Task kinds in dumps: the name of a kind, or an object whose only member is named after it (api.md
 * 16.2).
 */
import { isObject, type Json, objectOf, textOrNull } from '../../core/json.ts';
import type { ExportedIndexes, ExportRequest } from '../../model/export.ts';
import type { SearchRuleBody } from '../../model/schemas/search-rule-schema.ts';
import { SEARCH_RULES_UID } from '../../model/search-rule.ts';
import type { DocumentEdit, TaskDraft, TaskType } from '../../model/task.ts';
import { type DumpedWork, DumpRefused } from './dump.ts';
import { numbersOf, ruleChange } from './dump-details.ts';
import { readActions } from './dump-rules.ts';
import { dumpedSettings, readSettings } from './dump-settings.ts';
import { decodeRoaring, encodeRoaring } from './roaring-bitmap.ts';

/** Properties of a task besides its kind. */
interface KindContext {
  readonly uid: number;
  readonly indexUid: string | null;
  /** File with the documents of an addition; null = none. */
  readonly documents: string | null;
  readonly customMetadata: string | null;
  /** Details of the record, as the API shows them. */
  readonly details: Json;
}

/** Default of old dumps for the request size of exports (api.md 24). */
const EXPORT_BYTES_MAX = 20 * 1024 ** 2;

type DraftOf<Type extends TaskType> = Extract<TaskDraft, { readonly type: Type }>;

interface KindRule {
  readonly type: TaskType;
  /** null: tasks of the kind are read only if they are finished. */
  readonly read: ((members: Json, context: KindContext) => TaskDraft | null) | null;
}

type Read<Type extends TaskDraft['type'], Without extends string> = (
  members: Json,
  context: KindContext,
) => Omit<DraftOf<Type>, 'type' | Without> | null;

/** A kind of tasks; `read` returns the draft without its type. */
const kind = <Type extends TaskDraft['type']>(type: Type, read: Read<Type, ''>): KindRule => ({
  type,
  read: (members, context) => {
    const draft = read(members, context);
    return draft === null ? null : ({ type, ...draft } as unknown as TaskDraft);
  },
});

/** A kind of tasks of one index; `read` returns the draft without type and index. */
const ofIndex = <Type extends TaskDraft['type']>(
  type: Type,
  read: Read<Type, 'indexUid'>,
): KindRule =>
  kind(type, (members, context) => {
    const { uid, indexUid } = context;
    if (indexUid === null) throw new DumpRefused(`task ${uid} of the dump names no index`);
    return { indexUid, ...read(members, context) } as unknown as DraftOf<Type>;
  });

const deletion = (
  by: (members: Json, context: KindContext) => DraftOf<'documentDeletion'>['by'],
): KindRule => ofIndex('documentDeletion', (members, context) => ({ by: by(members, context) }));

const aboutTasks = (type: 'taskCancelation' | 'taskDeletion'): KindRule =>
  kind(type, ({ query }) => ({ query: {}, originalFilter: textOrNull(query) ?? '' }));

const KINDS: Readonly<Record<string, KindRule>> = {
  documentImport: ofIndex(
    'documentAdditionOrUpdate',
    (members) =>
      ({
        method: members['method'] === 'UpdateDocuments' ? 'update' : 'replace',
        primaryKey: textOrNull(members['primary_key']),
        skipCreation: false,
        payload: { kind: 'inline', base64: '' },
        format: 'ndjson',
        documentCount: Number(members['documents_count'] ?? 0),
        allowIndexCreation: members['allow_index_creation'] !== false,
      }) as const,
  ),
  documentDeletion: deletion(({ documents_ids = [] }, { uid }) => ({
    kind: 'ids',
    ids: listOf(documents_ids, 'documents_ids', uid).map(String),
  })),
  documentDeletionByFilter: deletion(({ filter }) => ({ kind: 'filter', filter })),
  documentClear: deletion(() => ({ kind: 'all' })),
  documentEdition: ofIndex('documentEdition', ({ filter = null, context, function: source }) => ({
    function: textOrNull(source) ?? '',
    filter,
    context: isObject(context) ? context : null,
  })),
  settings: ofIndex('settingsUpdate', ({ settings, is_deletion, allow_index_creation }) => ({
    settings: readSettings(objectOf(settings)),
    isReset: is_deletion === true,
    allowIndexCreation: allow_index_creation !== false,
  })),
  indexCreation: ofIndex('indexCreation', ({ primary_key }) => ({
    primaryKey: textOrNull(primary_key),
  })),
  indexBranch: ofIndex('indexBranch', ({ source, settings }, { uid }) => {
    if (typeof source !== 'string')
      throw new DumpRefused(`task ${uid} of the dump names no source`);
    return { source, ...(isObject(settings) && { settings }) };
  }),
  indexUpdate: ofIndex('indexUpdate', ({ primary_key, uid, new_index_uid }) => ({
    primaryKey: textOrNull(primary_key),
    newUid: textOrNull(uid) ?? textOrNull(new_index_uid),
  })),
  indexDeletion: ofIndex('indexDeletion', () => ({})),
  indexCompaction: kind('indexCompaction', ({ index_uid }, { uid, indexUid }) => {
    const name = textOrNull(index_uid) ?? indexUid;
    if (name === null) throw new DumpRefused(`task ${uid} of the dump names no index`);
    return { indexUid: name };
  }),
  indexSwap: kind('indexSwap', ({ swaps }, { uid }) => ({ swaps: readSwaps(swaps, uid) })),
  taskCancelation: aboutTasks('taskCancelation'),
  tasksDeletion: aboutTasks('taskDeletion'),
  taskDeletion: aboutTasks('taskDeletion'),
  dumpCreation: { type: 'dumpCreation', read: null },
  snapshotCreation: kind('snapshotCreation', () => ({})),
  export: kind('export', ({ url, api_key, payload_size, indexes }, { details }) => ({
    request: {
      url: textOrNull(url) ?? '',
      apiKey: textOrNull(api_key),
      payloadBytesMax: Number(payload_size) > 0 ? Number(payload_size) : EXPORT_BYTES_MAX,
      indexes: readExported(isObject(indexes) ? indexes : { '*': {} }),
    },
    payloadSize: textOrNull(details['payloadSize']),
  })),
  upgradeDatabase: { type: 'upgradeDatabase', read: null },
  networkTopologyChange: { type: 'networkTopologyChange', read: null },
  dsrUpdate: kind('dsrUpdate', ({ createOrUpdate, deletion }) => {
    const { rule_id: uid = deletion, update = null } = objectOf(createOrUpdate);
    return typeof uid === 'string' && (update === null || isObject(update))
      ? ({ indexUid: SEARCH_RULES_UID, uid, update: update && readActions(update) } as const)
      : null;
  }),
  dsrClear: kind('dsrClear', () => ({ indexUid: SEARCH_RULES_UID }) as const),
};

/** @throws DumpRefused if the member of a task is no list */
function listOf(value: unknown, member: string, taskUid: number): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new DumpRefused(`\`${member}\` of task ${taskUid} of the dump is no list`);
}

function readSwaps(swaps: unknown, taskUid: number): DraftOf<'indexSwap'>['swaps'] {
  return listOf(swaps, 'swaps', taskUid).map((swap) => {
    const { indexes, rename } = objectOf(swap);
    const [first, second] = listOf(indexes, 'indexes', taskUid).map(String);
    if (first === undefined || second === undefined)
      throw new DumpRefused(`task ${taskUid} of the dump swaps no two indexes`);
    return { indexes: [first, second], rename: rename === true };
  });
}

const readExported = (indexes: Json): Record<string, ExportedIndexes> =>
  Object.fromEntries(
    Object.entries(indexes).map(([pattern, given]) => {
      const { filter = null, override_settings, overrideSettings } = objectOf(given);
      const isOverriding = (override_settings ?? overrideSettings) === true;
      return [pattern, { filter, overrideSettings: isOverriding }];
    }),
  );

interface ReadKind {
  readonly type: TaskType;
  /** null: this server does not support the kind. */
  readonly work: DumpedWork | null;
}

/** Uids of the tasks that a cancelation or deletion matched. @throws DumpRefused */
function matchedBy(tasks: unknown, taskUid: number): number[] {
  if (!Array.isArray(tasks)) return [];
  try {
    return decodeRoaring(Uint8Array.from(tasks as number[]));
  } catch (error) {
    throw new DumpRefused(
      `\`tasks\` of task ${taskUid} of the dump is no set of uids: ${(error as Error).message}`,
    );
  }
}

function namedKind(kind: unknown): readonly [string, unknown] {
  if (typeof kind === 'string') return [kind, {}];
  const [name, members] = Object.entries(kind ?? {})[0] ?? ['', {}];
  const { branch } = objectOf(members);
  return name === 'indexCreation' && isObject(branch) ? ['indexBranch', branch] : [name, members];
}

/** @throws DumpRefused for an unknown kind */
export function readKind(kind: unknown, context: KindContext): ReadKind {
  const [name, members] = namedKind(kind);
  const rule = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (rule === undefined)
    throw new DumpRefused(`task ${context.uid} of the dump is of the unknown kind \`${name}\``);
  const { type, read } = rule;
  const about = objectOf(members);
  const { customMetadata, documents } = context;
  const draft = read?.(about, context) ?? null;
  if (draft === null) return { type, work: null };
  const own = customMetadata === null ? draft : { ...draft, customMetadata };
  return { type, work: { draft: own, documents, matched: matchedBy(about['tasks'], context.uid) } };
}

type DumpedAddition = Pick<
  DraftOf<'documentAdditionOrUpdate'>,
  'method' | 'primaryKey' | 'documentCount' | 'allowIndexCreation'
>;

interface DumpedSettings extends Pick<DraftOf<'settingsUpdate'>, 'isReset' | 'allowIndexCreation'> {
  readonly settings: Json;
}

interface DumpedExport extends Omit<ExportRequest, 'payloadBytesMax'> {
  readonly payloadSize: number | string | null;
}

/** Task kinds in the form of dumps. */
export const dumpedKinds = {
  addition: ({ method, primaryKey, documentCount, allowIndexCreation }: DumpedAddition) => ({
    documentImport: {
      primary_key: primaryKey,
      method: method === 'update' ? 'UpdateDocuments' : 'ReplaceDocuments',
      documents_count: documentCount,
      allow_index_creation: allowIndexCreation,
    },
  }),
  deletionByIds: (ids: readonly string[]) => ({ documentDeletion: { documents_ids: ids } }),
  deletionByFilter: (filter: unknown) => ({ documentDeletionByFilter: { filter } }),
  clear: () => 'documentClear',
  edit: ({ filter, context, function: source }: DocumentEdit) => ({
    documentEdition: { filter, context, function: source },
  }),
  settings: ({ settings, isReset, allowIndexCreation }: DumpedSettings) => ({
    settings: {
      settings: dumpedSettings(settings),
      is_deletion: isReset,
      allow_index_creation: allowIndexCreation,
    },
  }),
  indexCreation: (primaryKey: string | null) => ({ indexCreation: { primary_key: primaryKey } }),
  /** Other servers refuse a dump with a kind that they lack, and create an empty index of this one. */
  indexBranch: (source: string, settings: Json | null) => ({
    indexCreation: { primary_key: null, branch: { source, settings } },
  }),
  indexUpdate: (primaryKey: string | null, newUid: string | null) => ({
    indexUpdate: { primary_key: primaryKey, uid: newUid },
  }),
  indexDeletion: () => 'indexDeletion',
  indexCompaction: (indexUid: string | null) => ({ indexCompaction: { index_uid: indexUid } }),
  indexSwap: (swaps: unknown) => ({ indexSwap: { swaps } }),
  taskCancelation: (query: string, uids: readonly number[]) => ({
    taskCancelation: { query, tasks: [...encodeRoaring(uids)] },
  }),
  taskDeletion: (query: string, uids: readonly number[]) => ({
    tasksDeletion: { query, tasks: [...encodeRoaring(uids)] },
  }),
  /** @param keys lines of keys as objects */
  dumpCreation: (keys: readonly unknown[], instanceUid: string | null) => ({
    dumpCreation: { keys, instance_uid: instanceUid },
  }),
  export: ({ payloadSize, ...request }: DumpedExport) => ({
    export: {
      url: request.url,
      api_key: request.apiKey,
      payload_size: payloadSize,
      indexes: Object.fromEntries(
        Object.entries(request.indexes).map(([pattern, { filter, overrideSettings }]) => [
          pattern,
          // Members of a kind are in snake_case, those of this kind's records in camelCase.
          { filter, override_settings: overrideSettings, overrideSettings },
        ]),
      ),
    },
  }),
  snapshotCreation: () => 'snapshotCreation',
  upgradeDatabase: (from: string) => ({ upgradeDatabase: { from: numbersOf(from) } }),
  /** @param uid null if a finished task does not contain it */
  ruleUpdate: (uid: string | null, update: SearchRuleBody | null) => ({
    dsrUpdate: ruleChange(uid, update),
  }),
  ruleClear: () => 'dsrClear',
} as const;
