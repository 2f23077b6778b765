/** The search page and its files, if enabled; else the root returns a status message. */
import { NoQuery } from '../../model/schemas/index-schema.ts';
import { pageFileAnswer } from '../contract/page-file.ts';
import { defineRoute, type Route } from '../contract/route.ts';

const getRoot = defineRoute({
  id: 'root',
  method: 'GET',
  path: '/',
  action: null,
  summary: 'The search page if it is enabled; else a status message',
  handler: ({ searchPage }, { headers }) =>
    searchPage === null
      ? { status: 200, json: { status: 'Gannet is running' } }
      : pageFileAnswer(searchPage, 'index.html', headers.ifNoneMatch),
});

const getFile = defineRoute({
  id: 'searchPage.file',
  method: 'GET',
  path: '/search-page/:file',
  action: null,
  summary: 'A file of the search page',
  query: NoQuery,
  handler: ({ searchPage }, { params, headers }) =>
    pageFileAnswer(searchPage, params.file, headers.ifNoneMatch),
});

export const searchPageRoutes: readonly Route[] = [getRoot, getFile];
