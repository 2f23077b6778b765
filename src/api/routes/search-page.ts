/** The search page and its files, where it is served; else the root says that a server is here. */
import { NoQuery } from '../../model/index-schema.ts';
import type { BytesAnswer } from '../answer.ts';
import { defineRoute, type Route } from '../route.ts';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

/** Nothing but the page's own files runs or is loaded, and it asks nobody but this server. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = [
  ...['Content-Security-Policy', POLICY],
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Referrer-Policy', 'no-referrer'],
  ...['Cache-Control', 'no-cache'],
];

function fileAnswer(name: string, bytes: Uint8Array): BytesAnswer {
  const contentType = CONTENT_TYPES[name.slice(name.lastIndexOf('.') + 1)];
  if (contentType === undefined) throw new Error(`the search page has a file ${name}`);
  return { status: 200, bytes, contentType, headers: HEADERS };
}

const getRoot = defineRoute({
  id: 'root',
  method: 'GET',
  path: '/',
  action: null,
  summary: 'The search page, where it is served; else says that a server answers here',
  errors: [],
  handler: ({ searchPage }) => {
    const page = searchPage?.get('index.html');
    return page === undefined
      ? { status: 200, json: { status: 'Gannet is running' } }
      : fileAnswer('index.html', page);
  },
});

const getFile = defineRoute({
  id: 'searchPage.file',
  method: 'GET',
  path: '/search-page/:file',
  action: null,
  summary: 'A file that the search page consists of',
  query: NoQuery,
  errors: [],
  handler: ({ searchPage }, { params }) => {
    const bytes = searchPage?.get(params.file);
    return bytes === undefined ? { status: 404 } : fileAnswer(params.file, bytes);
  },
});

export const searchPageRoutes: readonly Route[] = [getRoot, getFile];
