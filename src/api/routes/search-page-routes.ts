/** The search page and its files, if enabled; else the root returns a status message. */
import { pageFileAnswer } from '../contract/page-file.ts';
import { defineRoute, type Route } from '../contract/route.ts';

export const searchPageRoutes: readonly Route[] = [
  defineRoute({
    id: 'root',
    endpoint: 'GET /',
    action: null,
    summary: 'The search page if it is enabled; else a status message',
    handler: ({ searchPage }, { headers }) =>
      searchPage === null
        ? { status: 200, json: { status: 'Gannet is running' } }
        : pageFileAnswer(searchPage, 'index.html', headers.ifNoneMatch, 'documents'),
  }),
  defineRoute({
    id: 'searchPage.file',
    endpoint: 'GET /search-page/:file',
    action: null,
    summary: 'A file of the search page',
    handler: ({ searchPage }, { params, headers }) =>
      pageFileAnswer(searchPage, params.file, headers.ifNoneMatch),
  }),
];
