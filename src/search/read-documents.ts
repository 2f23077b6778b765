/** Document reads of the API: one by id, or a page in internal order, as finished JSON bytes. */
import { Deadline } from '../core/deadline.ts';
import { ApiError } from '../core/errors.ts';
import { ByteBuffer } from '../engine/json/byte-buffer.ts';
import { NO_FILTER_FEATURES } from '../model/filter/filter-node.ts';
import type { DocumentsRequest } from '../model/search.ts';
import { bucketSort } from './bucket-sort.ts';
import { DocSet } from './doc-set.ts';
import { FieldNeighbours } from './field-neighbours.ts';
import { filterDocuments } from './filter-evaluator.ts';
import type { IndexSnapshot } from './index-snapshot.ts';
import { MatchSets } from './match-sets.ts';
import { sortLevels } from './ranking-levels.ts';
import { requestedSort } from './sort-levels.ts';
import { DocumentWriter, findDocument, locateDocument } from './stored-document.ts';

/** In document reads the name `*` among the fields means all only in the GET form, which passes null. */
export interface FieldChoice {
  readonly fields: readonly string[] | null;
  readonly retrieveVectors: boolean;
}

/** @throws ApiError `document_not_found` */
export function readDocument(snapshot: IndexSnapshot, id: string, choice: FieldChoice): Uint8Array {
  const place = findDocument(snapshot, id);
  if (!place)
    throw new ApiError('document_not_found', `Document \`${id}\` not found in index \`${snapshot.manifest.uid}\`.`);
  const out = new ByteBuffer();
  new DocumentWriter(choice.fields, { hidesVectors: !choice.retrieveVectors }).write(place, out);
  return out.copy();
}

/** `{results, offset, limit, total}`, in internal order whatever the order of the ids asked for. */
export function readDocuments(
  snapshot: IndexSnapshot,
  request: DocumentsRequest,
  deadline = Deadline.never(),
): Uint8Array {
  const docs = selectedDocuments(snapshot, request, deadline);
  const writer = new DocumentWriter(request.fields, { hidesVectors: !request.retrieveVectors });
  const out = new ByteBuffer();
  out.pushText('{"results":[');
  pageOf(snapshot, docs, request).forEach((doc, i) => {
    if (i > 0) out.pushText(',');
    writer.write(locateDocument(snapshot, doc)!, out);
  });
  out.pushText(`],"offset":${request.offset},"limit":${request.limit},"total":${docs.count}}`);
  return out.copy();
}

/** The documents of the page: in internal order, or as the sort asks. */
function pageOf(snapshot: IndexSnapshot, docs: DocSet, { sort, offset, limit }: DocumentsRequest): Uint32Array {
  const { settings } = snapshot.manifest;
  const criteria = requestedSort(sort, settings, 'invalid_document_sort');
  if (criteria.length === 0) return docs.page(offset, limit);
  const query = { nodes: [], termCount: 0, phraseWordCount: 0 };
  const sets = new MatchSets(snapshot, null);
  const presentFields = new Uint8Array(0);
  const { documents } = bucketSort(
    {
      snapshot,
      sets,
      fieldNeighbours: new FieldNeighbours(snapshot, sets, presentFields),
      query,
      removalGroups: [],
      presentFields,
    },
    { universe: docs, graph: [], positions: null },
    {
      levels: sortLevels(criteria, settings.displayedAttributes),
      offset,
      limit,
      ranksAll: false,
      wantsScores: false,
      sortsBeforeWindow: false,
      scoreThreshold: null,
      distinct: null,
      deadline: Deadline.never(),
    },
  );
  return Uint32Array.from(documents, ({ doc }) => doc);
}

function selectedDocuments(snapshot: IndexSnapshot, request: DocumentsRequest, deadline: Deadline): DocSet {
  const named = request.ids === null ? snapshot.live : documentsWithIds(snapshot, request.ids);
  const filtered = filterDocuments(snapshot, request.filter, {
    code: 'invalid_document_filter',
    features: request.filterFeatures ?? NO_FILTER_FEATURES,
    deadline,
  });
  return filtered === null ? named : named.retain(filtered);
}

function documentsWithIds(snapshot: IndexSnapshot, ids: readonly string[]): DocSet {
  const found = new Set<number>();
  for (const id of ids) {
    const place = findDocument(snapshot, id);
    if (place) found.add(place.docId);
  }
  return DocSet.fromList(Uint32Array.from(found).sort(), snapshot.words);
}
