/** Stored documents of a snapshot as JSON bytes, whole or cut to the fields asked for. */

import type { ByteBuffer } from '../engine/json/byte-buffer.ts';
import { compileSelection, type FieldSelection, projectDocumentInto } from '../engine/json/project-document.ts';
import type { SegmentReader } from '../engine/segment/segment.ts';
import { hasBit } from '../engine/sets/bitset.ts';
import type { IndexSnapshot } from './index-snapshot.ts';

const VECTORS = '_vectors';

export interface DocumentPlace {
  readonly segment: SegmentReader;
  readonly docId: number;
}

/** The segment that holds the living copy of a document, or null. */
export function locateDocument({ segments, dead }: IndexSnapshot, docId: number): DocumentPlace | null {
  for (let s = 0; s < segments.length; s++) {
    const gone = dead[s]!;
    if (gone !== null && hasBit(gone, docId)) continue;
    if (segments[s]!.ranks.rankOf(docId) >= 0) return { segment: segments[s]!, docId };
  }
  return null;
}

/** The living document with this id, or null. */
export function findDocument({ segments, dead }: IndexSnapshot, id: string): DocumentPlace | null {
  const utf8 = new TextEncoder().encode(id);
  for (let s = 0; s < segments.length; s++) {
    const docId = segments[s]!.findDocument(utf8);
    if (docId >= 0 && !(dead[s] && hasBit(dead[s]!, docId))) return { segment: segments[s]!, docId };
  }
  return null;
}

/** Writes documents with the fields of one choice; compiled once an answer. */
export class DocumentWriter {
  readonly #selection: FieldSelection | null;
  readonly #hidesVectors: boolean;
  /** Selections of all fields but the vectors, by segment and shape. */
  readonly #withoutVectors = new Map<readonly string[], FieldSelection>();

  /** @param fields null = all */
  constructor(fields: readonly string[] | null, options: { readonly hidesVectors: boolean }) {
    this.#selection =
      fields === null ? null : compileSelection(options.hidesVectors ? fields.filter((f) => f !== VECTORS) : fields);
    this.#hidesVectors = options.hidesVectors;
  }

  /** Returns the whole document as stored. */
  write({ segment, docId }: DocumentPlace, out: ByteBuffer): Uint8Array {
    const json = segment.readDocument(docId);
    const selection = this.#selection ?? this.#selectionOf(segment.shapes[segment.shapeOf(docId)]!);
    if (selection) projectDocumentInto(json, selection, out);
    else out.pushRange(json, 0, json.length);
    return json;
  }

  #selectionOf(shape: readonly string[]): FieldSelection | null {
    if (!this.#hidesVectors || !shape.includes(VECTORS)) return null;
    let selection = this.#withoutVectors.get(shape);
    if (!selection) {
      selection = compileSelection(shape.filter((name) => name !== VECTORS));
      this.#withoutVectors.set(shape, selection);
    }
    return selection;
  }
}

/** Fields of a hit: `displayedAttributes` bounds `attributesToRetrieve`, by exact path; null = all. */
export function retrievedFields(
  displayed: readonly string[],
  requested: readonly string[] | null,
): readonly string[] | null {
  const asked = requested === null || requested.includes('*') ? null : requested;
  if (displayed.includes('*')) return asked;
  return asked === null ? displayed : asked.filter((name) => displayed.includes(name));
}
