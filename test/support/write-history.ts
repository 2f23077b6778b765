/**
 * A seeded stream of writes to two indexes, and the model that says what any order of them must
 * lead to. Every write can be recognised from its task record, also when its answer was lost.
 */
import type { Task } from 'meilisearch';
import { randomOf } from '../../load-tests/bench/random.ts';
import type { HttpRequestOptions } from './http-request.ts';
import { sendJson } from './http-request.ts';

export type Doc = { readonly id: number | string } & Readonly<Record<string, unknown>>;

export type Write =
  | { readonly kind: 'add' | 'update'; readonly indexUid: string; readonly docs: readonly Doc[] }
  | { readonly kind: 'delete'; readonly indexUid: string; readonly ids: readonly number[] }
  | { readonly kind: 'clear'; readonly indexUid: string }
  | { readonly kind: 'settings'; readonly indexUid: string; readonly stopWords: readonly string[] }
  | { readonly kind: 'swap' }
  | { readonly kind: 'cancel'; readonly uids: readonly number[] };

export const INDEX_UIDS = ['left', 'right'] as const;
export const BASE_SETTINGS = { searchableAttributes: ['title', 'text', 'note', 'extra'] };
const ID_COUNT = 400;
const WORD_COUNT = 300;

const SYLLABLES = ['ka', 'lo', 'mi', 'ner', 'pu', 'sta', 'ri', 'von', 'de', 'gal'];

export function wordAt(number: number): string {
  const [a, b, c] = [number % 10, Math.floor(number / 10) % 10, Math.floor(number / 100) % 10];
  return `${SYLLABLES[a]}${SYLLABLES[b]}${SYLLABLES[c]}`;
}

export class WriteGenerator {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = randomOf(seed);
  }

  /** `acknowledged` are tasks that a cancelation may name. */
  next(writeNumber: number, acknowledged: readonly number[]): Write {
    const draw = this.#random();
    const indexUid = INDEX_UIDS[this.#below(2)] ?? 'left';
    if (draw < 0.45) return { kind: 'add', indexUid, docs: this.#docs(writeNumber) };
    if (draw < 0.75) return { kind: 'update', indexUid, docs: this.#parts(writeNumber) };
    if (draw < 0.9) return { kind: 'delete', indexUid, ids: this.#ids(1 + this.#below(12)) };
    if (draw < 0.91) return { kind: 'clear', indexUid };
    if (draw < 0.95) {
      return {
        kind: 'settings',
        indexUid,
        stopWords: [wordAt(this.#below(WORD_COUNT)), `w${writeNumber}`],
      };
    }
    if (draw < 0.98 || acknowledged.length === 0) return { kind: 'swap' };
    return { kind: 'cancel', uids: acknowledged.slice(-3) };
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #ids(count: number): number[] {
    return Array.from({ length: count }, () => this.#below(ID_COUNT));
  }

  #text(count: number): string {
    return Array.from({ length: count }, () => wordAt(this.#below(WORD_COUNT))).join(' ');
  }

  /**
   * Some payloads are too large to stay in the task and some hold a document without a valid id.
   */
  #docs(writeNumber: number): Doc[] {
    const draw = this.#random();
    const [count, textWords] = draw < 0.06 ? [120, 120] : [1 + this.#below(15), 12];
    const docs: Doc[] = this.#ids(count).map((id) => ({
      id,
      title: this.#text(3),
      text: this.#text(textWords),
      write: writeNumber,
    }));
    return draw > 0.97 ? [...docs, { id: 'not valid', title: this.#text(1) }] : docs;
  }

  #parts(writeNumber: number): Doc[] {
    return this.#ids(1 + this.#below(10)).map((id) =>
      this.#random() < 0.5
        ? { id, note: this.#text(4), write: writeNumber }
        : { id, extra: this.#text(6) },
    );
  }
}

/** Method, path and body that send the write. */
export function toRequest(write: Write, writeNumber: number): [string, string, HttpRequestOptions] {
  const tag = `?customMetadata=${writeNumber}`;
  if (write.kind === 'swap') return ['POST', '/swap-indexes', sendJson([{ indexes: INDEX_UIDS }])];
  if (write.kind === 'cancel') return ['POST', `/tasks/cancel?uids=${write.uids.join(',')}`, {}];
  const documents = `/indexes/${write.indexUid}/documents`;
  switch (write.kind) {
    case 'add':
      return ['POST', `${documents}${tag}&primaryKey=id`, sendJson(write.docs)];
    case 'update':
      return ['PUT', `${documents}${tag}&primaryKey=id`, sendJson(write.docs)];
    case 'delete':
      return ['POST', `${documents}/delete-batch${tag}`, sendJson(write.ids)];
    case 'clear':
      return ['DELETE', `${documents}${tag}`, {}];
    case 'settings':
      return [
        'PATCH',
        `/indexes/${write.indexUid}/settings`,
        sendJson({ stopWords: write.stopWords }),
      ];
  }
}

/** The number of the write that made the task; null for kinds that are all alike. */
export function writeNumberOf(task: Task): number | null {
  if (task.customMetadata !== undefined) return Number(task.customMetadata);
  const marker = (task.details?.stopWords ?? []).find((word) => /^w\d+$/.test(word));
  return marker === undefined ? null : Number(marker.slice(1));
}

export const isRefused = (docs: readonly Doc[]): boolean =>
  docs.some(({ id }) => typeof id === 'string');

/** Contents of the two indexes after some writes. */
export class Model {
  documents = new Map<string, Map<number, Doc>>(INDEX_UIDS.map((uid) => [uid, new Map()]));
  stopWords = new Map<string, readonly string[]>(INDEX_UIDS.map((uid) => [uid, []]));

  of(indexUid: string): Map<number, Doc> {
    const documents = this.documents.get(indexUid);
    if (documents === undefined) throw new Error(`no index ${indexUid}`);
    return documents;
  }

  /** The number of documents that the write removed. */
  apply(write: Write): number {
    switch (write.kind) {
      case 'add':
        if (!isRefused(write.docs))
          for (const doc of write.docs) this.of(write.indexUid).set(Number(doc.id), doc);
        return 0;
      case 'update':
        for (const doc of write.docs) {
          const documents = this.of(write.indexUid);
          documents.set(Number(doc.id), { ...documents.get(Number(doc.id)), ...doc });
        }
        return 0;
      case 'delete':
        return write.ids.filter((id) => this.of(write.indexUid).delete(id)).length;
      case 'clear': {
        const { size } = this.of(write.indexUid);
        this.of(write.indexUid).clear();
        return size;
      }
      case 'settings':
        this.stopWords.set(write.indexUid, [...write.stopWords].sort());
        return 0;
      case 'swap':
        this.documents = swapped(this.documents);
        this.stopWords = swapped(this.stopWords);
        return 0;
      case 'cancel':
        return 0;
    }
  }
}

function swapped<T>(values: ReadonlyMap<string, T>): Map<string, T> {
  const entries = [...values.values()];
  return new Map([...values.keys()].map((key, i) => [key, entries[1 - i] as T]));
}
