/** Stored documents of a snapshot as JSON bytes, complete or restricted to selected fields. */
import { getOrCompute } from '../../core/get-or-compute.ts';
import { ByteBuffer } from '../../engine/bytes/byte-buffer.ts';
import { appendMembers } from '../../engine/json/append-members.ts';
import { MemberNames } from '../../engine/json/member-names.ts';
import {
  compileSelection,
  type FieldSelection,
  projectDocumentInto,
} from '../../engine/json/project-document.ts';
import { VECTORS_FIELD } from '../../model/embedders/embedder-settings.ts';
import type { DocumentPlace } from './document-place.ts';
import { documentVectors } from './document-vectors.ts';
import { mayHaveField } from './field-names.ts';
import type { IndexSnapshot } from './index-snapshot.ts';

/** The parts of documents that an answer shows. */
export interface DocumentChoice {
  /** null = all. `_vectors` and paths below it are ignored. */
  readonly fields: readonly string[] | null;
  /**
   * Whether `_vectors` is shown, in addition to the fields: with `ofEmbedders` without the entries of
   * names that no embedder of the index has.
   */
  readonly vectors: 'none' | 'all' | 'ofEmbedders';
  /** Additional paths that `write` returns; null = all, absent = `write` returns nothing. */
  readonly alsoRead?: readonly string[] | null;
}

/** `_vectors`, or a path below it. */
const isOfVectors = (path: string): boolean =>
  path === VECTORS_FIELD || path.startsWith(`${VECTORS_FIELD}.`);

/** Writes documents with one selection of fields, compiled once per answer. */
export class StoredDocumentWriter {
  readonly #snapshot: IndexSnapshot;
  readonly #selection: FieldSelection | null;
  readonly #vectors: DocumentChoice['vectors'];
  /** Members that are parsed; null = all. */
  readonly #read: MemberNames | null;
  /** True if all parsed members are shown. */
  readonly #showsAllRead: boolean;
  readonly #members = new ByteBuffer();
  /** Selections of all fields except the vectors, by segment and shape. */
  readonly #withoutVectors = new Map<readonly string[], FieldSelection>();

  constructor(snapshot: IndexSnapshot, { fields, vectors, alsoRead }: DocumentChoice) {
    const shown = fields?.filter((name) => !isOfVectors(name)) ?? null;
    this.#snapshot = snapshot;
    const absent = shown?.filter((path) => path.includes('.') && !mayHaveField(snapshot, path));
    this.#selection = shown && compileSelection(shown, absent);
    const more = vectors === 'none' ? [] : [VECTORS_FIELD];
    this.#read =
      shown === null || alsoRead === null
        ? null
        : new MemberNames([...shown, ...more, ...(alsoRead ?? [])]);
    const isFlat = shown?.every((path) => !path.includes('.')) ?? false;
    this.#showsAllRead = isFlat && vectors === 'none' && alsoRead === undefined;
    this.#vectors = vectors;
  }

  /**
   * Appends a document. Returns its parsed members as stored, valid until the next call; null when
   * all of them are shown.
   */
  write(place: DocumentPlace, out: ByteBuffer): Uint8Array | null {
    const { segment, docId } = place;
    if (this.#read !== null && this.#showsAllRead) {
      segment.readMembers(docId, this.#read, out);
      return null;
    }
    const json = this.#jsonOf(place, this.#read);
    const selection = this.#selection ?? this.#selectionOf(segment.shapes[segment.shapeOf(docId)]!);
    if (selection) projectDocumentInto(json, selection, out);
    else out.pushRange(json, 0, json.length);
    if (this.#vectors !== 'none')
      appendMembers(
        out,
        `"${VECTORS_FIELD}":${documentVectors(this.#snapshot, place, json, this.#vectors)}`,
      );
    return json;
  }

  #jsonOf({ segment, docId }: DocumentPlace, read: MemberNames | null): Uint8Array {
    if (read === null) return this.#snapshot.queryCache.document(segment, docId);
    this.#members.clear();
    segment.readMembers(docId, read, this.#members);
    return this.#members.view();
  }

  #selectionOf(shape: readonly string[]): FieldSelection | null {
    if (!shape.includes(VECTORS_FIELD)) return null;
    return getOrCompute(this.#withoutVectors, shape, () =>
      compileSelection(shape.filter((name) => name !== VECTORS_FIELD)),
    );
  }
}

/**
 * Fields of a hit: `displayedAttributes` bounds `attributesToRetrieve`, by exact path; null = all.
 */
export function retrievedFields(
  displayed: readonly string[],
  requested: readonly string[] | null,
): readonly string[] | null {
  const asked = requested === null || requested.includes('*') ? null : requested;
  if (displayed.includes('*')) return asked;
  if (asked === null) return displayed;
  const shown = new Set(displayed);
  return asked.filter((name) => shown.has(name));
}
