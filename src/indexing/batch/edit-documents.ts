/**
 * Runs an edit function over stored documents, by ascending DocId and in rounds. A changed document
 * is written under the same DocId, an unchanged one stays in its segment. The first document that
 * fails aborts the edit, and none of its changes remain.
 */
import type { Deadline } from '../../core/deadline.ts';
import { ApiError } from '../../core/errors.ts';
import { EditFunction, type EditOutcome } from '../../edit-function/edit-function.ts';
import { ScriptError } from '../../edit-function/script-error.ts';
import { ByteBuffer } from '../../engine/bytes/byte-buffer.ts';
import { JsonTape } from '../../engine/json/json-tape.ts';
import { countBits, hasBit } from '../../engine/sets/bitset.ts';
import { isLive } from '../../engine/sets/tombstones.ts';
import type { BatchProgress } from '../../model/batch-progress.ts';
import type { DocumentEdit } from '../../model/task.ts';
import type { DocumentCheck } from '../../segments/contract/component.ts';
import { FieldTree } from '../../segments/documents/field-tree.ts';
import { NO_TEXT } from '../../segments/documents/text-rules.ts';
import type { OpenedSegment } from '../files/segment-cache.ts';
import { FIELDS_MAX, tooManyFields } from '../payload/parse-payload.ts';
import { IdReader } from '../payload/primary-key.ts';
import type { DocumentWrites, ResolvedDocuments } from './document-writes.ts';
import { FieldBudget } from './field-budget.ts';

export interface EditionInput {
  readonly edit: DocumentEdit;
  readonly primaryKey: string;
  /** Required fields of the edited documents; null = no requirements. */
  readonly check: DocumentCheck | null;
  readonly segments: readonly OpenedSegment[];
  /** Live documents to run on. */
  readonly selected: Uint32Array;
  /** Documents before this one are done. */
  readonly fromDocId: number;
  /** The round ends when the function has written this many bytes. */
  readonly bytesMax: number;
  /** Field names of earlier rounds. */
  readonly fieldPaths: readonly string[];
  readonly deadline: Deadline;
  readonly progress: BatchProgress;
}

export interface EditionPlan {
  readonly documentCount: number;
  /** For each segment, the DocIds whose copy in it dies. */
  readonly dead: readonly (readonly number[])[];
  readonly documents: ResolvedDocuments;
  readonly deletedCount: number;
  /** Of the edited documents. */
  readonly fieldPaths: readonly string[];
  /** First DocId of the next round, null = all are done. */
  readonly nextDocId: number | null;
}

/** Limit of segments open at once. */
const NO_SEGMENT = 0xffff;
const decoder = new TextDecoder();

/** @throws ApiError that names the document, BatchCanceled */
export function editDocuments(input: EditionInput): EditionPlan {
  return new Editor(input).run();
}

class Editor {
  readonly #input: EditionInput;
  readonly #function: EditFunction;
  readonly #ids: IdReader;
  readonly #fields = new FieldTree(NO_TEXT);
  readonly #before = new JsonTape();
  readonly #after = new JsonTape();
  readonly #text = new ByteBuffer();
  /** The edited documents, one after the other, and the end of each. */
  readonly #made = new ByteBuffer();
  readonly #ends: number[] = [];
  readonly #madeDocIds: number[] = [];
  readonly #madeIds: string[] = [];

  constructor(input: EditionInput) {
    this.#input = input;
    const { function: source, context } = input.edit;
    this.#function = asTaskError('The function', () => EditFunction.compile(source, context));
    this.#ids = new IdReader(input.primaryKey);
  }

  run(): EditionPlan {
    const { segments, selected, fromDocId, bytesMax, progress } = this.#input;
    progress.begin('editing documents', countBits(selected));
    const owners = ownersOf(segments, selected);
    const dead = segments.map((): number[] => []);
    let deletedCount = 0;
    let documentCount = 0;
    let docId = fromDocId;
    for (; docId < owners.length && this.#made.length < bytesMax; docId++) {
      const owner = owners[docId] as number;
      if (owner === NO_SEGMENT) continue;
      progress.throwIfCanceled();
      progress.advance();
      documentCount += 1;
      const outcome = this.#edit(docId, segments[owner] as OpenedSegment);
      if (outcome === 'unchanged') continue;
      dead[owner]?.push(docId);
      if (outcome === 'deleted') deletedCount += 1;
    }
    const fieldPaths = this.#fields.paths();
    const budget = new FieldBudget(segments);
    if (!budget.add(this.#input.fieldPaths) || !budget.add(fieldPaths))
      throw tooManyFields('The function');
    return {
      documentCount,
      dead,
      documents: this.#documents(),
      deletedCount,
      fieldPaths,
      nextDocId: docId < owners.length ? docId : null,
    };
  }

  /** Each document is one version, in one payload that holds all of them. */
  #documents(): ResolvedDocuments {
    const versions = new Uint32Array(this.#ends.length * 3);
    for (const [i, end] of this.#ends.entries())
      versions.set([0, i === 0 ? 0 : (this.#ends[i - 1] as number), end], i * 3);
    const writes: DocumentWrites = {
      docIds: Uint32Array.from(this.#madeDocIds),
      ids: this.#madeIds,
      bases: new Int32Array(this.#ends.length).fill(-1),
      versionEnds: Uint32Array.from(this.#ends, (_, i) => i + 1),
      replacedCounts: new Uint32Array(this.#ends.length),
      versions,
    };
    return { writes, payloads: [this.#made.copy()], generated: [] };
  }

  #edit(docId: number, { reader }: OpenedSegment): EditOutcome {
    const { deadline } = this.#input;
    const stored = reader.readDocument(docId);
    this.#before.scan(stored, 0, stored.length);
    this.#text.clear();
    const text = decoder.decode(reader.documentId(docId));
    const outcome = asTaskError(`Document \`${text}\``, () =>
      this.#function.edit(this.#before, this.#text, deadline),
    );
    if (outcome !== 'edited') return outcome;
    this.#after.scan(this.#text.bytes, 0, this.#text.length);
    this.#check(text);
    this.#made.pushRange(this.#text.bytes, 0, this.#text.length);
    this.#ends.push(this.#made.length);
    this.#madeDocIds.push(docId);
    this.#madeIds.push(text);
    return 'edited';
  }

  #check(id: string): void {
    if (this.#idAfter(id) !== id) throw this.#changedKey('edit_documents_by_function_error', id);
    this.#input.check?.(this.#after, () => id);
    this.#fields.notice(this.#after, FIELDS_MAX);
    if (this.#fields.fieldCount > FIELDS_MAX) throw tooManyFields('The function');
  }

  /** @throws ApiError missing_document_id, invalid_document_id */
  #idAfter(id: string): string {
    try {
      return this.#ids.read(this.#after, 1);
    } catch (error) {
      throw error instanceof ApiError ? this.#changedKey(error.code, id) : error;
    }
  }

  #changedKey(code: ApiError['code'], id: string): ApiError {
    return new ApiError(
      code,
      `Document \`${id}\`: the function changed the primary key \`${this.#input.primaryKey}\`, which it must leave as it is.`,
    );
  }
}

function asTaskError<T>(what: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw new ApiError('edit_documents_by_function_error', `${what}: ${error.message}.`);
  }
}

/** Number of the segment that holds each selected document. */
function ownersOf(segments: readonly OpenedSegment[], selected: Uint32Array): Uint16Array {
  if (segments.length >= NO_SEGMENT) throw new Error(`an index has ${segments.length} segments`);
  const owners = new Uint16Array(selected.length * 32).fill(NO_SEGMENT);
  segments.forEach(({ reader, dead }, segment) => {
    for (const docId of reader.docIds) {
      if (hasBit(selected, docId) && isLive(docId, dead)) owners[docId] = segment;
    }
  });
  return owners;
}
