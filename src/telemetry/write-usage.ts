/** What is counted of documents, indexes, tasks, statistics, webhooks and exports. */
import { type EndedRequest, hasSucceeded, isGiven, lengthOf, membersOf } from './ended-request.ts';
import { filterText } from './filter-usage.ts';
import { average, ever, type Figure, figure, latest, maximum, total } from './measures.ts';

type Figures = Readonly<Record<string, Figure<EndedRequest>>>;

const queryHas = (name: string): Figure<EndedRequest> =>
  figure(ever, ({ query }) => isGiven(membersOf(query)[name]));
const bodyHas = (name: string): Figure<EndedRequest> =>
  figure(ever, ({ body }) => isGiven(membersOf(body)[name]));
const isRoute = (routeId: string): Figure<EndedRequest> =>
  figure(ever, (request) => request.routeId === routeId);
const requests: Figure<EndedRequest> = figure(total, () => 1);

/** Whether a name of a primary key was set; null while none was. */
const primaryKey: Figure<EndedRequest> = figure(latest, ({ query, body }) =>
  isGiven(membersOf(query)['primaryKey'] ?? membersOf(body)['primaryKey']) ? 'set' : undefined,
);

export const documentWriteFigures: Figures = {
  total_received: requests,
  primary_key: primaryKey,
  index_creation: figure(ever, (request) => hasSucceeded(request) && request.isIndexNew),
};

export const indexCreationFigures: Figures = { total_received: requests, primary_key: primaryKey };

export const documentDeletionFigures: Figures = {
  per_document_id: isRoute('documents.deleteOne'),
  per_batch: isRoute('documents.deleteBatch'),
  per_filter: isRoute('documents.deleteByFilter'),
  clear_all: isRoute('documents.deleteAll'),
};

/** The members of either form of the request. */
const readMember = ({ query, body }: EndedRequest, name: string): unknown =>
  membersOf(body)[name] ?? membersOf(query)[name];
const numberIn = (request: EndedRequest, name: string): number | undefined => {
  const value = readMember(request, name);
  return typeof value === 'number' ? value : undefined;
};

export const documentReadFigures: Figures = {
  per_document_id: isRoute('documents.get'),
  per_filter: figure(ever, (request) => isGiven(readMember(request, 'filter'))),
  with_vector_filter: figure(ever, (request) =>
    filterText(readMember(request, 'filter')).includes('_vectors'),
  ),
  'vector.retrieve_vectors': figure(
    ever,
    (request) => readMember(request, 'retrieveVectors') === true,
  ),
  'pagination.max_limit': figure(maximum, (request) => numberIn(request, 'limit')),
  'pagination.max_offset': figure(maximum, (request) => numberIn(request, 'offset')),
};

export const swapFigures: Figures = {
  swap_operation_number: figure(total, ({ body }) => lengthOf(body)),
};

export const taskFigures: Figures = {
  per_task_uid: isRoute('tasks.get'),
  filtered_by_uid: queryHas('uids'),
  filtered_by_index_uid: queryHas('indexUids'),
  filtered_by_type: queryHas('types'),
  filtered_by_status: queryHas('statuses'),
  filtered_by_canceled_by: queryHas('canceledBy'),
  filtered_by_before_enqueued_at: queryHas('beforeEnqueuedAt'),
  filtered_by_after_enqueued_at: queryHas('afterEnqueuedAt'),
  filtered_by_before_started_at: queryHas('beforeStartedAt'),
  filtered_by_after_started_at: queryHas('afterStartedAt'),
  filtered_by_before_finished_at: queryHas('beforeFinishedAt'),
  filtered_by_after_finished_at: queryHas('afterFinishedAt'),
};

export const statsFigures: Figures = { per_index_uid: isRoute('stats.index') };

export const webhookFigures: Figures = {
  webhooks_created: figure(total, ({ routeId }) => Number(routeId === 'webhooks.create')),
  'webhooks.updated': figure(total, ({ routeId }) => Number(routeId === 'webhooks.update')),
};

/** Settings of each index or pattern that is exported. */
const exportedPatterns = ({ body }: EndedRequest): readonly Readonly<Record<string, unknown>>[] =>
  Object.values(membersOf(membersOf(body)['indexes'])).map(membersOf);

export const exportFigures: Figures = {
  'export.total_received': requests,
  'export.has_api_key': bodyHas('apiKey'),
  'export.avg_index_patterns': figure(average, (request) => exportedPatterns(request).length),
  'export.avg_patterns_with_filter': figure(
    average,
    (request) => exportedPatterns(request).filter(({ filter }) => isGiven(filter)).length,
  ),
  'export.avg_payload_size': figure(average, ({ body }) => {
    const { payloadSize } = membersOf(body);
    return typeof payloadSize === 'number' ? payloadSize : undefined;
  }),
};
