/** Routes of the documentation and the API description; public. */

import { DocsSearchQuery } from '../../model/schemas/instance-schema.ts';
import { pageFileAnswer } from '../contract/page-file.ts';
import { defineRoute, QUERY_ERRORS, type Route } from '../contract/route.ts';
import { openApiOf } from '../description/openapi.ts';
import { searchDocumentation } from '../searches/docs-search.ts';

/** Addresses of pages have no extension. */
const fileNameOf = (page: string): string => (page.includes('.') ? page : `${page}.html`);

/** @param all returns all routes, including these */
export function documentationRoutes(all: () => readonly Route[]): readonly Route[] {
  /** Written once: anybody may read its half megabyte. */
  let description: Uint8Array | null = null;
  return [
    defineRoute({
      id: 'docs.home',
      endpoint: 'GET /docs',
      action: null,
      summary: 'The first page of the documentation, with a list of all pages',
      handler: ({ documentation }, { headers }) =>
        pageFileAnswer(documentation, 'index.html', headers.ifNoneMatch),
    }),
    defineRoute({
      id: 'docs.search',
      endpoint: 'GET /docs/search',
      action: null,
      summary:
        'Search the documentation: a search of the index that the build made of its sections, with the page and the anchor of each',
      query: DocsSearchQuery,
      errors: QUERY_ERRORS,
      handler: async (context, { query, caller }) => {
        const bytes = await searchDocumentation(context, query.q, caller);
        return bytes === null ? { status: 404 } : { status: 200, bytes };
      },
    }),
    defineRoute({
      id: 'docs.page',
      endpoint: 'GET /docs/:page',
      action: null,
      summary:
        'A page of the documentation, or a file that it shows; the `link` of an error leads to its entry on `errors`',
      handler: ({ documentation }, { params, headers }) =>
        pageFileAnswer(documentation, fileNameOf(params.page), headers.ifNoneMatch),
    }),
    defineRoute({
      id: 'docs.openapi',
      endpoint: 'GET /openapi.json',
      action: null,
      summary: 'The OpenAPI description of all routes',
      handler: ({ config }) => {
        description ??= Buffer.from(JSON.stringify(openApiOf(all(), config.version.pkgVersion)));
        return { status: 200, bytes: description };
      },
    }),
  ];
}
