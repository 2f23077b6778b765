/** Documents about the API that the server itself hands out. */
import { NoQuery } from '../../model/index-schema.ts';
import { errorReferences } from '../error-reference.ts';
import { errorsPage } from '../errors-page.ts';
import { openApiOf } from '../openapi.ts';
import { defineRoute, type Route } from '../route.ts';

/** @param all every route, these included; asked when a document is */
export const documentationRoutes = (all: () => readonly Route[]): readonly Route[] => [
  defineRoute({
    id: 'docs.errors',
    method: 'GET',
    path: '/docs/errors',
    action: null,
    summary: 'The page about error codes that the `link` of an error leads to',
    query: NoQuery,
    errors: [],
    handler: () => ({
      status: 200,
      bytes: Buffer.from(errorsPage(errorReferences(all()))),
      contentType: 'text/html; charset=utf-8',
    }),
  }),
  defineRoute({
    id: 'docs.openapi',
    method: 'GET',
    path: '/openapi.json',
    action: null,
    summary: 'The OpenAPI description of all routes',
    query: NoQuery,
    errors: [],
    handler: ({ config }) => ({ status: 200, json: openApiOf(all(), config.version.pkgVersion) }),
  }),
];
