/**
 * The component for field values in filters, sorting, facets and distinct. A coverage is a list of
 * attribute patterns; the files of a segment share no field.
 */
import type { ColumnsReader } from '../../engine/columns/columns.ts';
import {
  type ColumnsFileBuilder,
  createColumnsFileBuilder,
} from '../../engine/columns/columns-file-builder.ts';
import { openColumns } from '../../engine/columns/columns-reader.ts';
import type { JsonTape } from '../../engine/json/json-tape.ts';
import type { PartBuilder, SegmentComponent } from '../contract/component.ts';
import { addStoredDocuments } from '../contract/stored-documents-feed.ts';
import { checkedGeoFields, columnPatterns, columnRules, planColumns } from './column-coverage.ts';
import { checkGeoFields } from './document-geo.ts';

type Patterns = readonly string[];

class ValuesBuilder implements PartBuilder {
  readonly #columns: ColumnsFileBuilder;

  /** @param known paths that have a column even if no document has a value */
  constructor(patterns: Patterns, known: readonly string[] = []) {
    this.#columns = createColumnsFileBuilder(columnRules(patterns), known);
  }

  get memoryBytes(): number {
    return this.#columns.memoryBytes;
  }

  add(docId: number, _id: Uint8Array, tape: JsonTape): void {
    this.#columns.addDocument(docId, tape);
  }

  finish(): Uint8Array[] {
    return this.#columns.finish();
  }
}

export const columnsComponent: SegmentComponent<Patterns, ColumnsReader> = {
  extension: '.col',
  describe: (patterns) => `columns of ${patterns.map((name) => JSON.stringify(name)).join(', ')}`,
  plan: (files, settings) => {
    const { kept, build } = planColumns(files, columnPatterns(settings));
    return { kept, build: build.length === 0 ? [] : [build] };
  },
  check: (settings) => {
    const fields = checkedGeoFields(columnPatterns(settings));
    return fields.length === 0
      ? null
      : (tape, documentId) => checkGeoFields(tape, fields, documentId);
  },
  addedFrom: 'documents',
  parts: [{ lane: 1, builder: ({ covers }) => new ValuesBuilder(covers) }],
  frame: ([file]) => file as Uint8Array[],
  // A seen field keeps its column, even if all its documents are deleted.
  merge: ({ covers, sources, documents }) => {
    const known = sources.flatMap(({ files }) => files.flatMap(({ reader }) => reader.paths));
    const values = new ValuesBuilder(covers, known);
    if (documents !== null) addStoredDocuments(documents, null, values);
    return values.finish();
  },
  open: openColumns,
};
