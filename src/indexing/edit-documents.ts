/**
 * Runs an edit function over stored documents, in one pass by ascending DocId: what it changes is written under the same DocId, what
 * it leaves alone stays where it is. The first document that fails ends it, and nothing is left of it.
 */
import type { Deadline } from '../core/deadline.ts';
import { ApiError } from '../core/errors.ts';
import type { DocId } from '../core/ids.ts';
import { EditFunction, type EditOutcome } from '../edit-function/edit-function.ts';
import { ScriptError } from '../edit-function/script-error.ts';
import { ByteBuffer } from '../engine/json/byte-buffer.ts';
import { JsonTape } from '../engine/json/json-tape.ts';
import { forEachBit, hasBit } from '../engine/sets/bitset.ts';
import type { DocumentEdition } from '../model/task.ts';
import { checkGeoFields } from './document-geo.ts';
import { FieldBudget } from './field-budget.ts';
import { FieldTree } from './field-tree.ts';
import { FIELDS_MAX, tooManyFields } from './parse-payload.ts';
import { IdReader } from './primary-key.ts';
import type { SegmentAssembler } from './segment-assembler.ts';
import type { OpenedSegment } from './segment-cache.ts';
import { NO_TEXT } from './text-rules.ts';

export interface EditionInput {
  readonly edition: DocumentEdition;
  readonly primaryKey: string;
  /** Fields whose malformed values are errors. */
  readonly geoFields: readonly string[];
  readonly segments: readonly OpenedSegment[];
  /** Live documents to run on. */
  readonly selected: Uint32Array;
  readonly assembler: SegmentAssembler;
  readonly deadline: Deadline;
}

export interface EditionPlan {
  /** Documents that the function ran on. */
  readonly documentCount: number;
  /** For each segment, the DocIds whose copy in it dies. */
  readonly dead: readonly (readonly DocId[])[];
  readonly written: Uint32Array;
  readonly deleted: Uint32Array;
}

/** More segments are never open at once. */
const NO_SEGMENT = 0xffff;
const decoder = new TextDecoder();

/** @throws ApiError that names the document */
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

  constructor(input: EditionInput) {
    this.#input = input;
    const { function: source, context } = input.edition;
    this.#function = asTaskError('The function', () => EditFunction.compile(source, context));
    this.#ids = new IdReader(input.primaryKey);
  }

  run(): EditionPlan {
    const { segments, selected } = this.#input;
    const owners = ownersOf(segments, selected);
    const dead = segments.map((): DocId[] => []);
    const written: number[] = [];
    const deleted: number[] = [];
    let documentCount = 0;
    forEachBit(selected, (docId) => {
      const owner = owners[docId] as number;
      documentCount += 1;
      const outcome = this.#edit(docId, segments[owner] as OpenedSegment);
      if (outcome === 'unchanged') return;
      dead[owner]?.push(docId as DocId);
      (outcome === 'deleted' ? deleted : written).push(docId);
    });
    if (!new FieldBudget(segments).add(this.#fields.paths())) throw tooManyFields('The function');
    return { documentCount, dead, written: Uint32Array.from(written), deleted: Uint32Array.from(deleted) };
  }

  #edit(docId: number, { reader }: OpenedSegment): EditOutcome {
    const { assembler, deadline } = this.#input;
    const stored = reader.readDocument(docId);
    this.#before.scan(stored, 0, stored.length);
    this.#text.clear();
    const id = reader.documentId(docId).slice();
    const text = decoder.decode(id);
    const outcome = asTaskError(`Document \`${text}\``, () => this.#function.edit(this.#before, this.#text, deadline));
    if (outcome !== 'edited') return outcome;
    this.#after.scan(this.#text.bytes, 0, this.#text.length);
    this.#check(text);
    assembler.add(docId, id, this.#after);
    return 'edited';
  }

  /** Of the document after the function. */
  #check(id: string): void {
    if (this.#idAfter() !== id) {
      throw new ApiError(
        'edit_documents_by_function_error',
        `Document \`${id}\`: the function changed the primary key \`${this.#input.primaryKey}\`, which it must leave as it is.`,
      );
    }
    if (this.#input.geoFields.length > 0) checkGeoFields(this.#after, this.#input.geoFields, () => id);
    this.#fields.notice(this.#after, FIELDS_MAX);
    if (this.#fields.fieldCount > FIELDS_MAX) throw tooManyFields('The function');
  }

  /** null when there is none that is valid. */
  #idAfter(): string | null {
    try {
      return this.#ids.read(this.#after, 1);
    } catch (error) {
      if (error instanceof ApiError) return null;
      throw error;
    }
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
      if (hasBit(selected, docId) && !(dead !== null && hasBit(dead, docId))) owners[docId] = segment;
    }
  });
  return owners;
}
