/** Document reads of the API: one by id, or a page in internal order, as finished JSON bytes. */
import { Deadline } from '../core/deadline.ts';
import { ApiError } from '../core/errors.ts';
import { ByteBuffer } from '../engine/bytes/byte-buffer.ts';
import { VECTORS_FIELD } from '../model/embedders/embedder-settings.ts';
import type { DocumentsRequest } from '../model/search.ts';
import { filterDocuments, parsedFilter } from './filter/filter-evaluator.ts';
import { bucketSort } from './ranking/bucket-sort.ts';
import { sortLevels } from './ranking/ranking-levels.ts';
import { checkSort } from './ranking/sort-levels.ts';
import { wordlessContext } from './ranking/wordless-context.ts';
import { DocSet } from './sets/doc-set.ts';
import { findDocument, locateDocument } from './snapshot/document-place.ts';
import { type ForeignIndexes, NO_FOREIGN_INDEXES } from './snapshot/foreign-indexes.ts';
import type { IndexSnapshot } from './snapshot/index-snapshot.ts';
import { type DocumentChoice, StoredDocumentWriter } from './snapshot/stored-document.ts';

/**
 * In document reads, the field name `*` means all fields only in the GET form, which passes null.
 */
export interface FieldChoice {
  readonly fields: readonly string[] | null;
  readonly retrieveVectors: boolean;
}

/** @throws ApiError `document_not_found` */
export function readDocument(
  snapshot: IndexSnapshot,
  id: string,
  choice: FieldChoice,
  bytesMax = Number.POSITIVE_INFINITY,
): Uint8Array {
  const place = findDocument(snapshot, id);
  if (!place)
    throw new ApiError(
      'document_not_found',
      `Document \`${id}\` not found in index \`${snapshot.manifest.uid}\`.`,
    );
  const out = new ByteBuffer();
  out.begin(bytesMax);
  writerOf(snapshot, choice).write(place, out);
  return out.copy();
}

const writerOf = (snapshot: IndexSnapshot, choice: FieldChoice) =>
  new StoredDocumentWriter(snapshot, { fields: choice.fields, vectors: shownVectors(choice) });

/** Entries of `_vectors` without an embedder are members of the document that `fields` selects. */
function shownVectors({ fields, retrieveVectors }: FieldChoice): DocumentChoice['vectors'] {
  if (!retrieveVectors) return 'none';
  return fields === null || fields.includes(VECTORS_FIELD) ? 'all' : 'ofEmbedders';
}

/**
 * `{results, offset, limit, total}`, in internal order independent of the order of the requested
 * ids.
 */
export function readDocuments(
  snapshot: IndexSnapshot,
  request: DocumentsRequest,
  deadline = Deadline.never(),
  foreign = NO_FOREIGN_INDEXES,
  bytesMax = Number.POSITIVE_INFINITY,
): Uint8Array {
  const docs = selectedDocuments(snapshot, request, deadline, foreign);
  const writer = writerOf(snapshot, request);
  const out = new ByteBuffer();
  out.begin(bytesMax);
  out.pushText('{"results":[');
  deadline.check();
  pageOf(snapshot, docs, request, deadline).forEach((doc, i) => {
    deadline.check();
    if (i > 0) out.pushText(',');
    writer.write(locateDocument(snapshot, doc)!, out);
  });
  out.pushText(`],"offset":${request.offset},"limit":${request.limit},"total":${docs.count}}`);
  return out.copy();
}

/** The documents of the page: in internal order, or in the requested sort order. */
function pageOf(
  snapshot: IndexSnapshot,
  docs: DocSet,
  { sort, offset, limit }: DocumentsRequest,
  deadline: Deadline,
): Uint32Array {
  const { settings } = snapshot.manifest;
  checkSort(sort, settings, 'invalid_document_sort');
  if (sort.length === 0) return docs.page(offset, limit);
  const { documents } = bucketSort(
    wordlessContext(snapshot),
    { universe: docs, graph: [], positions: null },
    {
      levels: sortLevels(sort, settings.displayedAttributes),
      offset,
      limit,
      ranksAll: false,
      wantsScores: false,
      sortsBeforeWindow: false,
      scoreThreshold: null,
      distinct: null,
      profile: null,
      deadline: deadline.withoutCutoff(),
    },
  );
  deadline.check();
  return Uint32Array.from(documents, ({ doc }) => doc);
}

function selectedDocuments(
  snapshot: IndexSnapshot,
  request: DocumentsRequest,
  deadline: Deadline,
  foreign: ForeignIndexes,
): DocSet {
  const { ids } = request;
  const named = ids === null ? snapshot.live : documentsWithIds(snapshot, ids, deadline);
  const filter = parsedFilter(request.filter, { code: 'invalid_document_filter', deadline });
  const filtered = filterDocuments(snapshot, filter, foreign);
  return filtered === null ? named : named.retain(filtered);
}

function documentsWithIds(
  snapshot: IndexSnapshot,
  ids: readonly string[],
  deadline: Deadline,
): DocSet {
  const found = new Set<number>();
  for (const id of ids) {
    deadline.check();
    const place = findDocument(snapshot, id);
    if (place) found.add(place.docId);
  }
  return DocSet.fromList(Uint32Array.from(found).sort(), snapshot.bitsetLength);
}
