/**
 * Second step of a batch: computes from the ordered operations the final state of every document
 * they touch: the documents to write, their versions, their DocIds, and the stored copies that die.
 * Reads only the ids of the live segments.
 */
import { ApiError, toWire, type WireError } from '../../core/errors.ts';
import { findLive, liveDocuments } from '../../engine/segment/live-documents.ts';
import { hasBit } from '../../engine/sets/bitset.ts';
import { liveDocumentCount } from '../../model/index-manifest.ts';
import type { OpenedSegment } from '../files/segment-cache.ts';
import { type ParsedPayload, tooManyFields } from '../payload/parse-payload.ts';
import type { DocumentOperation, OperationResult, Upsert } from './document-operations.ts';
import { DocumentStates } from './document-states.ts';
import type { DocumentWrites } from './document-writes.ts';
import { FieldBudget } from './field-budget.ts';

interface BatchInput {
  readonly operations: readonly DocumentOperation[];
  /** The parsed payloads, one per operation; null for deletions. */
  readonly parsed: readonly (ParsedPayload | null)[];
  /** Key of the index at the start of the batch. */
  readonly primaryKey: string | null;
  /** Live segments, oldest first. */
  readonly segments: readonly OpenedSegment[];
  /** Whether a document's `_vectors` entries survive its replacement. */
  readonly hasEmbedders: boolean;
  /**
   * Ids of the stored documents that the filter of an operation selects.
   * @throws ApiError for a filter that the settings do not allow
   */
  select(filter: unknown): readonly string[];
  /** Parses the payload of the operation with this number again under another key. */
  reparse(upsert: Upsert, number: number, primaryKey: string): ParsedPayload;
}

export interface BatchPlan {
  readonly results: OperationResult[];
  readonly primaryKey: string | null;
  /** Versions are in the payloads of the operations, by their numbers. */
  readonly writes: DocumentWrites;
  /** For each segment, the DocIds whose copy in it dies; null when the whole segment does. */
  readonly dead: readonly (readonly number[] | null)[];
  /** Every document stored before the batch is deleted. */
  readonly isCleared: boolean;
  /** One more than the greatest DocId that was free before the batch; if cleared, of all documents. */
  readonly docIdEnd: number;
}

/** Applies the operations of a batch, in their order, to the stored documents. Writes nothing. */
export function resolveBatch(input: BatchInput): BatchPlan {
  return new BatchResolver(input).resolve();
}

const utf8 = new TextEncoder();
/** 2³² − 1 never names a document. */
const DOC_ID_MAX = 0xfffffffe;

class BatchResolver {
  readonly #input: BatchInput;
  readonly #parsedPayloads: (ParsedPayload | null)[];
  readonly #states: DocumentStates;
  readonly #hasUpserts: boolean;
  #primaryKey: string | null;
  #storedCleared = false;
  #liveCount: number;
  #fields: FieldBudget;

  constructor(input: BatchInput) {
    this.#input = input;
    this.#parsedPayloads = [...input.parsed];
    this.#states = new DocumentStates(input.hasEmbedders);
    this.#primaryKey = input.primaryKey;
    this.#hasUpserts = input.operations.some(({ kind }) => kind === 'upsert');
    this.#liveCount = liveDocumentCount({ segments: input.segments.map(({ entry }) => entry) });
    this.#fields = new FieldBudget(input.segments);
  }

  resolve(): BatchPlan {
    const results = this.#input.operations.map((operation, index) => this.#apply(operation, index));
    return { results, primaryKey: this.#primaryKey, ...this.#finalStates() };
  }

  #apply(operation: DocumentOperation, index: number): OperationResult {
    const { taskUid } = operation;
    const done = (indexedDocuments: number, deletedDocuments: number): OperationResult => ({
      taskUid,
      error: null,
      indexedDocuments,
      deletedDocuments,
    });
    const failed = (error: WireError): OperationResult => ({ ...done(0, 0), error });
    switch (operation.kind) {
      case 'deleteAll':
        return done(0, this.#clear());
      case 'deleteIds':
        return done(0, this.#deleteIds(operation.ids, index));
      case 'deleteFilter':
        try {
          return done(0, this.#deleteIds(this.#input.select(operation.filter), index));
        } catch (error) {
          // A filter that is not allowed fails its own task only.
          if (!(error instanceof ApiError)) throw error;
          return failed(toWire(error));
        }
      case 'upsert': {
        const error = this.#checkUpsert(operation, index);
        return error === null ? done(this.#upsert(operation, index), 0) : failed(error);
      }
    }
  }

  /** Decides the primary key and checks the number of fields; on success the index has both. */
  #checkUpsert(operation: Upsert, index: number): WireError | null {
    const named = operation.primaryKey;
    if (this.#primaryKey !== null && isEmpty(this.#parsed(index))) return null;
    if (named !== null && this.#primaryKey !== null && named !== this.#primaryKey) {
      return toWire(
        new ApiError(
          'index_primary_key_already_exists',
          `The index has the primary key \`${this.#primaryKey}\`, so documents cannot be added with the primary key \`${named.slice(0, 200)}\``,
        ),
      );
    }
    const key = this.#primaryKey ?? named;
    let parsed = this.#parsed(index);
    if (key !== null && parsed.primaryKey !== key && parsed.error?.code !== 'malformed_payload') {
      parsed = this.#input.reparse(operation, index, key);
      this.#parsedPayloads[index] = parsed;
    }
    if (parsed.error !== null) return parsed.error;
    if (!this.#fields.add(parsed.fieldPaths)) return toWire(tooManyFields('The payload'));
    this.#primaryKey = parsed.primaryKey ?? key;
    return null;
  }

  #parsed(index: number): ParsedPayload {
    const parsed = this.#parsedPayloads[index];
    if (!parsed) throw new Error(`operation ${index} has no parsed payload`);
    return parsed;
  }

  #upsert({ method, skipCreation }: Upsert, index: number): number {
    const { ids } = this.#parsed(index);
    let distinct = 0;
    const states = this.#states;
    for (let document = 0; document < ids.length; document++) {
      const state = this.#state(ids[document] as string);
      if (states.touch(state, index)) distinct += 1;
      if (!states.exists(state)) {
        if (skipCreation) continue;
        this.#liveCount += 1;
      }
      if (method === 'replace') states.replace(state, index, document);
      else states.update(state, index, document);
    }
    return distinct;
  }

  #deleteIds(ids: readonly string[], index: number): number {
    let distinct = 0;
    let removed = 0;
    for (const id of ids) {
      const state = this.#state(id);
      if (this.#states.touch(state, index)) distinct += 1;
      if (!this.#states.exists(state)) continue;
      removed += 1;
      this.#liveCount -= 1;
      this.#states.remove(state);
    }
    return this.#hasUpserts ? distinct : removed;
  }

  /** Returns the number of deleted documents. */
  #clear(): number {
    const deletedDocuments = this.#liveCount;
    for (let state = 0; state < this.#states.count; state++) this.#states.remove(state);
    this.#storedCleared = true;
    this.#liveCount = 0;
    return deletedDocuments;
  }

  #state(id: string): number {
    return this.#states.find(id) ?? this.#look(id);
  }

  /** Starts the state of an id from its live copy, if there is one. */
  #look(id: string): number {
    const { segments } = this.#input;
    if (segments.length > 0) {
      const bytes = utf8.encode(id);
      for (let i = segments.length - 1; i >= 0; i--) {
        const docId = findLive(segments[i] as OpenedSegment, bytes);
        if (docId >= 0) return this.#states.add(id, i, docId, !this.#storedCleared);
      }
    }
    return this.#states.add(id, -1, 0, false);
  }

  #finalStates(): Pick<BatchPlan, 'writes' | 'dead' | 'isCleared' | 'docIdEnd'> {
    const states = this.#states;
    const dead = this.#input.segments.map((): number[] => []);
    const written: number[] = [];
    const { docIds, docIdEnd } = this.#docIds();
    for (let state = 0; state < states.count; state++) {
      const isWritten = states.isWritten(state);
      if (isWritten) written.push(state);
      const segment = states.segment(state);
      const dies = isWritten || !states.exists(state);
      if (segment >= 0 && dies) dead[segment]?.push(states.docId(state));
    }
    written.sort((a, b) => (docIds[a] as number) - (docIds[b] as number));
    const isCleared = this.#storedCleared;
    const last = written.at(-1);
    return {
      writes: this.#writes(written, docIds),
      dead: isCleared ? dead.map(() => null) : dead,
      isCleared,
      docIdEnd: isCleared && last !== undefined ? (docIds[last] as number) + 1 : docIdEnd,
    };
  }

  /** The DocId of each state, and one more than the greatest that was free. */
  #docIds(): { readonly docIds: Float64Array; readonly docIdEnd: number } {
    const states = this.#states;
    const docIds = new Float64Array(states.count);
    const free = freeDocIds(this.#input.segments);
    let docIdEnd = 0;
    for (let state = 0; state < states.count; state++) {
      docIds[state] = states.docId(state);
      if (this.#keepsDocId(state) || !states.isWritten(state)) continue;
      const docId = free.next().value;
      docIds[state] = docId;
      docIdEnd = docId + 1;
    }
    return { docIds, docIdEnd };
  }

  /**
   * Whether the document keeps the DocId of its stored copy. Vectors are found by DocId, so a
   * document that was deleted and added again must not keep it.
   */
  #keepsDocId(state: number): boolean {
    const states = this.#states;
    if (states.segment(state) < 0 || !states.exists(state)) return false;
    return !this.#input.hasEmbedders || states.followsStored(state);
  }

  #writes(written: readonly number[], docIds: Float64Array): DocumentWrites {
    const states = this.#states;
    const bases = new Int32Array(written.length);
    const versionEnds = new Uint32Array(written.length);
    const replacedCounts = new Uint32Array(written.length);
    const versions = new Uint32Array(states.versionCount * 3);
    let at = 0;
    const addVersion = (operation: number, document: number): void => {
      const { ranges } = this.#parsed(operation);
      versions[at++] = operation;
      versions[at++] = ranges[document * 2] as number;
      versions[at++] = ranges[document * 2 + 1] as number;
    };
    written.forEach((state, i) => {
      bases[i] = states.isOnStored(state) ? states.segment(state) : -1;
      replacedCounts[i] = states.forEachVersion(state, addVersion);
      versionEnds[i] = at / 3;
    });
    return {
      docIds: Uint32Array.from(written, (state) => docIds[state] as number),
      ids: written.map((state) => states.ids[state] as string),
      bases,
      versionEnds,
      replacedCounts,
      versions: versions.slice(0, at),
    };
  }
}

/** DocIds of no live document, ascending without end. */
function* freeDocIds(segments: readonly OpenedSegment[]): Generator<number, never> {
  const live = liveDocuments(segments);
  for (let word = 0; word < live.length; word++) {
    if (live[word] === 0xffffffff) continue;
    for (let docId = word * 32; docId < word * 32 + 32; docId++)
      if (!hasBit(live, docId)) yield docId;
  }
  for (let docId = live.length * 32; docId <= DOC_ID_MAX; docId++) yield docId;
  throw new Error('all DocIds of the index are in use');
}

/** True for a payload without documents, whose primary key does not matter to an index with one. */
const isEmpty = ({ error, ids }: ParsedPayload): boolean => error === null && ids.length === 0;
