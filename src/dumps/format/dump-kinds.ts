/**
 * Task kinds in dumps: the name of a kind, or an object whose only member is named after it (api.md
 * 16.2).
 */
import { isObject, type Json, objectOf } from '../../core/json.ts';
import type { ExportedIndexes, ExportRequest } from '../../model/export.ts';
import { SEARCH_RULES_UID, type SearchRuleUpdate } from '../../model/search-rule.ts';
import type { DocumentEdit, TaskDraft, TaskType } from '../../model/task.ts';
import { type DumpedWork, DumpRefused } from './dump.ts';
import { numbersOf } from './dump-details.ts';
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

interface KindRule {
  readonly type: TaskType;
  /** null: tasks of the kind are read only if they are finished. */
  readonly read: ((members: Json, context: KindContext) => Partial<DumpedWork> | null) | null;
}

const textOr = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** A draft without the members common to all drafts. */
const work = (draft: TaskDraft, rest: Partial<DumpedWork> = {}): Partial<DumpedWork> => ({
  draft,
  ...rest,
});

function indexOf({ uid, indexUid }: KindContext): string {
  if (indexUid !== null) return indexUid;
  throw new DumpRefused(`task ${uid} of the dump names no index`);
}

const deletion =
  (by: (members: Json) => Extract<TaskDraft, { type: 'documentDeletion' }>['by']) =>
  (members: Json, context: KindContext) =>
    work({ type: 'documentDeletion', indexUid: indexOf(context), by: by(members) });

const aboutTasks =
  (type: 'taskCancelation' | 'taskDeletion') =>
  ({ query, tasks }: Json) =>
    work(
      { type, query: {}, originalFilter: textOr(query) ?? '' },
      { matched: decodeRoaring(Uint8Array.from((tasks ?? []) as number[])) },
    );

const taskDeletion: KindRule = { type: 'taskDeletion', read: aboutTasks('taskDeletion') };

const KINDS: Readonly<Record<string, KindRule>> = {
  documentImport: {
    type: 'documentAdditionOrUpdate',
    read: ({ primary_key, method, documents_count, allow_index_creation }, context) =>
      work(
        {
          type: 'documentAdditionOrUpdate',
          indexUid: indexOf(context),
          method: method === 'UpdateDocuments' ? 'update' : 'replace',
          primaryKey: textOr(primary_key),
          skipCreation: false,
          payload: { kind: 'inline', base64: '' },
          format: 'ndjson',
          documentCount: Number(documents_count ?? 0),
          allowIndexCreation: allow_index_creation !== false,
        },
        { documents: context.documents },
      ),
  },
  documentDeletion: {
    type: 'documentDeletion',
    read: deletion(({ documents_ids }) => ({
      kind: 'ids',
      ids: ((documents_ids ?? []) as unknown[]).map(String),
    })),
  },
  documentDeletionByFilter: {
    type: 'documentDeletion',
    read: deletion(({ filter }) => ({ kind: 'filter', filter })),
  },
  documentClear: { type: 'documentDeletion', read: deletion(() => ({ kind: 'all' })) },
  documentEdition: {
    type: 'documentEdition',
    read: ({ filter, context: given, function: source }, context) =>
      work({
        type: 'documentEdition',
        indexUid: indexOf(context),
        function: textOr(source) ?? '',
        filter: filter ?? null,
        context: isObject(given) ? given : null,
      }),
  },
  settings: {
    type: 'settingsUpdate',
    read: ({ settings, is_deletion, allow_index_creation }, context) =>
      work({
        type: 'settingsUpdate',
        indexUid: indexOf(context),
        settings: objectOf(settings),
        isReset: is_deletion === true,
        allowIndexCreation: allow_index_creation !== false,
      }),
  },
  indexCreation: {
    type: 'indexCreation',
    read: ({ primary_key }, context) =>
      work({
        type: 'indexCreation',
        indexUid: indexOf(context),
        primaryKey: textOr(primary_key),
      }),
  },
  indexUpdate: {
    type: 'indexUpdate',
    read: ({ primary_key, uid, new_index_uid }, context) =>
      work({
        type: 'indexUpdate',
        indexUid: indexOf(context),
        primaryKey: textOr(primary_key),
        newUid: textOr(uid) ?? textOr(new_index_uid),
      }),
  },
  indexDeletion: {
    type: 'indexDeletion',
    read: (_, context) => work({ type: 'indexDeletion', indexUid: indexOf(context) }),
  },
  indexCompaction: {
    type: 'indexCompaction',
    read: ({ index_uid }, context) =>
      work({ type: 'indexCompaction', indexUid: textOr(index_uid) ?? indexOf(context) }),
  },
  indexSwap: {
    type: 'indexSwap',
    read: ({ swaps }) => work({ type: 'indexSwap', swaps: readSwaps(swaps) }),
  },
  taskCancelation: { type: 'taskCancelation', read: aboutTasks('taskCancelation') },
  tasksDeletion: taskDeletion,
  taskDeletion,
  dumpCreation: { type: 'dumpCreation', read: null },
  snapshotCreation: {
    type: 'snapshotCreation',
    read: () => work({ type: 'snapshotCreation' }),
  },
  export: {
    type: 'export',
    read: ({ url, api_key, payload_size, indexes }, { details }) =>
      work({
        type: 'export',
        request: {
          url: textOr(url) ?? '',
          apiKey: textOr(api_key),
          payloadBytesMax: Number(payload_size) > 0 ? Number(payload_size) : EXPORT_BYTES_MAX,
          indexes: readExported(isObject(indexes) ? indexes : { '*': {} }),
        },
        payloadSize: textOr(details['payloadSize']),
      }),
  },
  upgradeDatabase: { type: 'upgradeDatabase', read: null },
  networkTopologyChange: { type: 'networkTopologyChange', read: null },
  dsrUpdate: {
    type: 'dsrUpdate',
    read: ({ uid, update }) =>
      typeof uid === 'string' && (update === null || isObject(update))
        ? work({ type: 'dsrUpdate', indexUid: SEARCH_RULES_UID, uid, update })
        : null,
  },
  dsrClear: {
    type: 'dsrClear',
    read: () => work({ type: 'dsrClear', indexUid: SEARCH_RULES_UID }),
  },
};

function readSwaps(swaps: unknown): Extract<TaskDraft, { type: 'indexSwap' }>['swaps'] {
  return (swaps as { indexes: [string, string]; rename?: boolean }[]).map(
    ({ indexes, rename = false }) => ({ indexes, rename }),
  );
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

/** @throws DumpRefused for an unknown kind */
export function readKind(kind: unknown, context: KindContext): ReadKind {
  const [name, members] =
    typeof kind === 'string' ? [kind, {}] : (Object.entries(kind ?? {})[0] ?? ['', {}]);
  const rule = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (rule === undefined)
    throw new DumpRefused(`task ${context.uid} of the dump is of the unknown kind \`${name}\``);
  const read = rule.read?.(objectOf(members), context) ?? null;
  if (read?.draft === undefined) return { type: rule.type, work: null };
  const { customMetadata } = context;
  const draft = customMetadata === null ? read.draft : { ...read.draft, customMetadata };
  return { type: rule.type, work: { documents: null, matched: [], ...read, draft } };
}

interface DumpedAddition {
  readonly method: 'replace' | 'update';
  readonly primaryKey: string | null;
  readonly documentCount: number;
  readonly allowIndexCreation: boolean;
}

interface DumpedSettings {
  readonly settings: Json;
  readonly isReset: boolean;
  readonly allowIndexCreation: boolean;
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
    settings: { settings, is_deletion: isReset, allow_index_creation: allowIndexCreation },
  }),
  indexCreation: (primaryKey: string | null) => ({ indexCreation: { primary_key: primaryKey } }),
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
  ruleUpdate: (uid: string | null, update: SearchRuleUpdate | null) => ({
    dsrUpdate: { uid, update },
  }),
  ruleClear: () => 'dsrClear',
} as const;
