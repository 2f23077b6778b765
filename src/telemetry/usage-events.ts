/**
 * The one table of what is counted: each event with the requests it is about and its figures, by
 * the names under which they are told. Figures never hold text of users.
 */
import type { EndedRequest } from './ended-request.ts';
import { knownClient, knownMediaType } from './known-names.ts';
import { type Figure, figure, seen, total } from './measures.ts';
import {
  facetSearchFigures,
  multiSearchFigures,
  multiSearchOf,
  searchFigures,
  searchOf,
  similarFigures,
} from './search-usage.ts';
import { givenSettings, settingsFigures } from './settings-usage.ts';
import {
  documentDeletionFigures,
  documentReadFigures,
  documentWriteFigures,
  exportFigures,
  indexCreationFigures,
  statsFigures,
  swapFigures,
  taskFigures,
  webhookFigures,
} from './write-usage.ts';

export interface UsageEvent {
  readonly name: string;
  readonly isAbout: (routeId: string) => boolean;
  readonly facts: (request: EndedRequest) => unknown;
  readonly figures: Readonly<Record<string, Figure<never>>>;
}

const event = <Fact>(
  name: string,
  routes: readonly string[] | RegExp,
  figures: Readonly<Record<string, Figure<Fact>>>,
  facts: (request: EndedRequest) => Fact,
): UsageEvent => ({
  name,
  facts,
  figures,
  isAbout: (routeId) =>
    routes instanceof RegExp ? routes.test(routeId) : routes.includes(routeId),
});

const itself = (request: EndedRequest): EndedRequest => request;

const requestFigures: Readonly<Record<string, Figure<EndedRequest>>> = {
  total_received: figure(total, () => 1),
  user_agent: figure(seen, ({ client }) => (client === '' ? undefined : [knownClient(client)])),
  payload_type: figure(seen, ({ contentType }) =>
    contentType === '' ? undefined : [knownMediaType(contentType)],
  ),
};

export const USAGE_EVENTS: readonly UsageEvent[] = [
  event('requests', /./, requestFigures, itself),
  event('search', ['search.get', 'search.post'], searchFigures, searchOf),
  event('multiSearch', ['multiSearch.post'], multiSearchFigures, multiSearchOf),
  event('facetSearch', ['facetSearch.post'], facetSearchFigures, searchOf),
  event('similar', ['similar.get', 'similar.post'], similarFigures, searchOf),
  event(
    'documentsWritten',
    ['documents.replace', 'documents.update'],
    documentWriteFigures,
    itself,
  ),
  event('documentsDeleted', /^documents\.delete/, documentDeletionFigures, itself),
  event(
    'documentsRead',
    ['documents.get', 'documents.list', 'documents.fetch'],
    documentReadFigures,
    itself,
  ),
  event('indexesCreated', ['indexes.create'], indexCreationFigures, itself),
  event('indexesSwapped', ['indexes.swap'], swapFigures, itself),
  event('tasksRead', ['tasks.get', 'tasks.list'], taskFigures, itself),
  event('statsRead', ['stats.get', 'stats.index'], statsFigures, itself),
  event('settingsChanged', /^settings\.(\w+\.)?update$/, settingsFigures, givenSettings),
  event('webhooksChanged', ['webhooks.create', 'webhooks.update'], webhookFigures, itself),
  event('export', ['export'], exportFigures, itself),
];
