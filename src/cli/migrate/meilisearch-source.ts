/**
 * Reads from a running Meilisearch, or any server with its API, through public routes only.
 * Requests pages of documents, each about as large as a part.
 */

import { isObject, type Json, parseJson } from '../../core/json.ts';
import {
  type EmbedderKeys,
  mapKey,
  mapMeilisearchIndex,
} from '../../migration/from-meilisearch.ts';
import { rawElements, rawMembers } from '../../migration/raw-members.ts';
import { matcherOf } from '../../model/index-uid-pattern.ts';
import { CommandFailure } from '../command-failure.ts';
import { AnswerTooLarge, type Instance, indexPath } from '../instance-client.ts';
import {
  type MigrationPart,
  type MigrationSource,
  PartInProgress,
  type SourcedIndex,
  type SourceNote,
} from './migration-source.ts';

/** Documents of the first page, and maximum of a page. */
const PAGE_FIRST = 100;
const PAGE_MAX = 10_000;
/** Maximum growth factor of the page size, because the next documents may be larger. */
const PAGE_GROWTH = 8;
/** An answer may exceed the part size by this factor before a smaller page is requested. */
const ANSWER_FACTOR = 4;

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
  indexes.sort((a, b) => (a.uid < b.uid ? -1 : 1));
  const { drafts: keys, notes } = options.withKeys
    ? await keysOf(options)
    : { drafts: [], notes: [] };
  const pages = new DocumentPages(options);
  return {
    indexes,
    keys,
    notes,
    async *parts(place) {
      const from = place === null ? null : (JSON.parse(place) as Place);
      const all = indexes.reduce((sum, { documents }) => sum + (documents ?? 0), 0);
      let before = 0;
      for (const index of indexes) {
        const isDone = from !== null && index.uid < from.indexUid;
        const offset = index.uid === from?.indexUid ? from.offset : 0;
        if (!isDone) yield* pages.of(index, offset, (done) => (before + done) / (all || 1));
        before += index.documents ?? 0;
      }
    },
    /** Requests are independent of each other. */
    close: () => undefined,
  };
}

class DocumentPages {
  readonly #options: MeilisearchOptions;
  /** Set to false for servers before 1.11, which refuse the parameter. */
  #retrieveVectors = true;

  constructor(options: MeilisearchOptions) {
    this.#options = options;
  }

  async *of(
    { uid, primaryKey }: SourcedIndex,
    begin: number,
    doneOf: (documents: number) => number,
  ): AsyncGenerator<MigrationPart> {
    const part = new PartInProgress();
    let limit = PAGE_FIRST;
    for (let offset = begin; ; ) {
      const text = await this.#page(uid, offset, limit);
      if (text === null) {
        limit = Math.max(1, Math.floor(limit / ANSWER_FACTOR));
        continue;
      }
      const documents = documentsIn(text);
      for (const document of documents) part.add(uid, primaryKey, document);
      const isLast = documents.length < limit;
      limit = nextLimit(limit, part.length, this.#options.partBytes);
      offset += documents.length;
      const place: Place = { indexUid: uid, offset };
      if (documents.length > 0) yield part.take(JSON.stringify(place), doneOf(offset));
      if (isLast) return;
    }
  }

  /** Returns null if the answer is too large. */
  async #page(uid: string, offset: number, limit: number): Promise<string | null> {
    const answerBytesMax = this.#options.partBytes * ANSWER_FACTOR;
    try {
      const body = { offset, limit, ...(this.#retrieveVectors && { retrieveVectors: true }) };
      const path = `${indexPath(uid)}/documents/fetch`;
      return await this.#options.instance.text('POST', path, { body, answerBytesMax });
    } catch (error) {
      if (error instanceof AnswerTooLarge && limit > 1) return null;
      const isRefused = error instanceof CommandFailure && VECTORS_REFUSED.includes(error.code);
      if (!isRefused || !this.#retrieveVectors) throw error;
      this.#retrieveVectors = false;
      return this.#page(uid, offset, limit);
    }
  }
}

/** Number of documents that fit into a part, if they have the size of the previous ones. */
function nextLimit(limit: number, length: number, partBytes: number): number {
  const fitting = Math.floor((limit * partBytes) / Math.max(1, length));
  return Math.max(1, Math.min(fitting, limit * PAGE_GROWTH, PAGE_MAX));
}

/** Each document as it was sent, on one line. @throws CommandFailure if the answer is not a page */
function documentsIn(text: string): string[] {
  const page = parseJson(text);
  if (!isObject(page) || !Array.isArray(page['results']))
    throw new CommandFailure('the server answered without a page of documents');
  const results = rawMembers(text).get('results') ?? '[]';
  // Line ends occur only between tokens: within strings they are escaped.
  return [...rawElements(results)].map((document) => document.replace(/[\r\n]/g, ' '));
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
