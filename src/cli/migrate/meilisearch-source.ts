/**
 * Reads from a running Meilisearch, or any server with its API, through public routes only.
 * Requests pages of documents, each about as large as a part.
 */

import type { Json } from '../../core/json.ts';
import {
  type EmbedderKeys,
  mapKey,
  mapMeilisearchIndex,
} from '../../migration/from-meilisearch.ts';
import { matcherOf } from '../../model/index-uid-pattern.ts';
import { CommandFailure } from '../command-failure.ts';
import { type Instance, indexPath } from '../instance-client.ts';
import {
  type MigrationSource,
  PartInProgress,
  requireIndexes,
  type SourcedIndex,
  type SourceNote,
} from './migration-source.ts';

/** Codes of servers that do not take `retrieveVectors`: before 1.11, or with the feature off. */
const VECTORS_REFUSED: readonly (string | null)[] = [
  'bad_request',
  'feature_not_enabled',
  'invalid_document_retrieve_vectors',
];

interface MeilisearchOptions {
  readonly instance: Instance;
  /** Index uids and patterns. */
  readonly wanted: readonly string[];
  readonly embedderKeys: EmbedderKeys;
  readonly withKeys: boolean;
  readonly partBytes: number;
  /** Milliseconds of the system clock. */
  readonly now: number;
}

/** Position where the documents resume. */
interface Place {
  readonly indexUid: string;
  readonly offset: number;
}

const BEGIN: Place = { indexUid: '', offset: 0 };

/** Requests everything except documents. */
export async function meilisearchSource(options: MeilisearchOptions): Promise<MigrationSource> {
  const { instance, wanted, embedderKeys } = options;
  const isWanted = matcherOf(wanted);
  const all = await instance.all<Json>('/indexes');
  const listed = all.filter(({ uid }) => isWanted(String(uid)));
  const indexes: SourcedIndex[] = [];
  for (const { uid: given, primaryKey: key } of listed) {
    const uid = String(given);
    const primaryKey = (key ?? null) as string | null;
    const settings = await instance.request<Json>('GET', `${indexPath(uid)}/settings`);
    const stats = await instance.request<Json>('GET', `${indexPath(uid)}/stats`);
    const documents = Number(stats['numberOfDocuments']);
    const mapped = mapMeilisearchIndex({ uid, primaryKey, settings }, embedderKeys);
    indexes.push({ ...mapped, documents });
  }
  requireIndexes(indexes, wanted);
  indexes.sort((a, b) => (a.uid < b.uid ? -1 : 1));
  const { drafts: keys, notes } = options.withKeys
    ? await keysOf(options)
    : { drafts: [], notes: [] };
  const [first] = indexes;
  const retrieveVectors = first !== undefined && (await takesVectors(options, first.uid));
  const choice = retrieveVectors ? { retrieveVectors } : {};
  const total = indexes.reduce((sum, { documents = 0 }) => sum + documents, 0) || 1;
  return {
    indexes,
    keys,
    notes,
    async *parts(place) {
      const from = place === null ? BEGIN : (JSON.parse(place) as Place);
      let before = 0;
      for (const index of indexes) {
        const begin = index.uid === from.indexUid ? from.offset : 0;
        if (index.uid >= from.indexUid)
          for await (const [next, part] of partsOf(options, index, begin, choice))
            yield part.take(JSON.stringify(next), (before + next.offset) / total);
        before += index.documents ?? 0;
      }
    },
    /** Requests are independent of each other. */
    close: () => undefined,
  };
}

/** Servers before 1.11 refuse the parameter `retrieveVectors`. */
async function takesVectors({ instance }: MeilisearchOptions, uid: string): Promise<boolean> {
  try {
    await instance.request('GET', `${indexPath(uid)}/documents?limit=0&retrieveVectors=true`);
    return true;
  } catch (error) {
    if (error instanceof CommandFailure && VECTORS_REFUSED.includes(error.code)) return false;
    throw error;
  }
}

async function* partsOf(
  { instance, partBytes }: MeilisearchOptions,
  { uid, primaryKey }: SourcedIndex,
  begin: number,
  choice: object,
): AsyncGenerator<readonly [place: Place, part: PartInProgress]> {
  let offset = begin;
  const reading = { choice, offset, pageBytes: partBytes };
  for await (const { documents } of instance.documents(uid, reading)) {
    const part = new PartInProgress();
    for (const document of documents) part.add(uid, primaryKey, document);
    offset += documents.length;
    yield [{ indexUid: uid, offset }, part];
  }
}

async function keysOf({ instance, now }: MeilisearchOptions) {
  const notes: SourceNote[] = [];
  const drafts: Json[] = [];
  const note = (name: string, message: string) => notes.push({ about: 'keys', name, message });
  try {
    for (const key of await instance.all<Json>('/keys')) {
      const mapped = mapKey(key, now);
      for (const { name, message } of mapped.notes) note(name, message);
      if (mapped.draft !== null) drafts.push(mapped.draft);
    }
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.code === null) throw error;
    note('all keys', `cannot be read: ${error.message}`);
  }
  return { drafts, notes };
}
