/** The route table, its documentation and its tests say the same. */
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COMMON_ERRORS, ownErrorsOf, type Route } from '../../src/api/contract/route.ts';
import { openApiOf } from '../../src/api/description/openapi.ts';
import { SEARCH_PARAMETERS } from '../../src/api/description/search-meanings.ts';
import { routes } from '../../src/api/routes/index.ts';
import { type ErrorCode, errorCodes } from '../../src/core/error-codes.ts';
import { FEATURE_GATES, FEATURES } from '../../src/model/features.ts';
import { SearchBody, SearchOptions } from '../../src/model/schemas/search-schema.ts';
import { apiReference } from '../support/api-reference.ts';
import { errorsPage, unexplained } from '../support/errors-page.ts';
import { routeErrorCases } from '../support/route-error-cases.ts';

/**
 * Raised by query threads or by a full queue, so the list of requests that the front refuses does
 * not hold them.
 */
const RAISED_BEHIND_THE_FRONT: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'indexer_unavailable',
  'too_many_search_requests',
  'search_timeout',
  'response_too_large',
  'no_space_left_on_device',
  'invalid_webhooks',
  'document_not_found',
  'render_document_not_found',
  'not_found_similar_id',
  'task_file_not_found',
  'facet_search_disabled',
  'invalid_multi_search_facet_order',
  'invalid_multi_search_query_ranking_rules',
]);

const isOwnCode = (route: Route, code: ErrorCode): boolean =>
  !RAISED_BEHIND_THE_FRONT.has(code) &&
  !Object.values(COMMON_ERRORS).some(
    (codes) => (codes as readonly string[]).includes(code) && !(route.errors ?? []).includes(code),
  );

/** In GET requests these take any text, and for every text there is a value. */
const UNFAILING_IN_QUERY: ReadonlySet<string> = new Set([
  'invalid_search_q',
  'invalid_search_attributes_to_retrieve',
  'invalid_search_attributes_to_highlight',
  'invalid_search_attributes_to_crop',
  'invalid_search_attributes_to_search_on',
  'invalid_search_crop_marker',
  'invalid_search_highlight_pre_tag',
  'invalid_search_highlight_post_tag',
  'invalid_search_distinct',
  'invalid_search_group_by',
  'invalid_search_facets',
  'invalid_search_personalize',
  'invalid_search_personalize_user_context',
  'invalid_similar_attributes_to_retrieve',
  'invalid_document_fields',
  'invalid_index_primary_key',
]);

describe('the route table', () => {
  it('has one id and one method and path for each route', () => {
    expect(new Set(routes.map(({ id }) => id)).size).toBe(routes.length);
    expect(new Set(routes.map(({ method, path }) => `${method} ${path}`)).size).toBe(routes.length);
  });

  it('declares only known codes, and none that its schemas have', () => {
    for (const route of routes) {
      expect(new Set(route.errors).size, route.id).toBe((route.errors ?? []).length);
      const ofSchemas = ownErrorsOf({ ...route, errors: [] });
      for (const code of route.errors ?? []) {
        expect(Object.hasOwn(errorCodes, code), `${route.id}: ${code}`).toBe(true);
        expect(ofSchemas, `${route.id} lists ${code}`).not.toContain(code);
      }
    }
  });

  it('has a refused request in the tests for every code that a route declares', () => {
    const tested = new Set(routeErrorCases.map(({ route, code }) => `${route} ${code}`));
    const untested = routes.flatMap((route) =>
      ownErrorsOf(route)
        .filter(
          (code) =>
            isOwnCode(route, code) && !(route.body === undefined && UNFAILING_IN_QUERY.has(code)),
        )
        .map((code) => `${route.id} ${code}`)
        .filter((entry) => !tested.has(entry)),
    );
    expect(untested).toEqual([]);
  });

  it('is what docs/routes.md says (vitest -u writes it)', async () => {
    const rows = routes.map((route) => {
      const errors = ownErrorsOf(route)
        .map((code) => `\`${code}\``)
        .join(' ');
      return `| ${route.method} | \`${route.path}\` | ${route.action === null ? '–' : `\`${route.action}\``} | ${route.summary} | ${errors} |`;
    });
    const text = [
      '# Routes',
      '',
      'Written from the route table (`src/api/routes/`). Every route may also answer `bad_request` and `internal`; routes with an action',
      '`missing_authorization_header`, `invalid_api_key`, `indexer_unavailable` and `invalid_store_file`; routes of an index `invalid_index_uid`; routes with a body',
      '`missing_content_type`, `invalid_content_type`, `missing_payload`, `malformed_payload` and `payload_too_large`.',
      '',
      '| method | path | action | what it does | own error codes |',
      '| --- | --- | --- | --- | --- |',
      ...rows,
      '',
    ].join('\n');
    await expect(text).toMatchFileSnapshot('../../docs/routes.md');
  });

  it('has the switches that docs/features.md says (vitest -u writes it)', async () => {
    const rows = FEATURES.map((name) => `| \`${name}\` | ${FEATURE_GATES[name]} |`);
    const text = [
      '# Experimental features',
      '',
      'This page lists the experimental features, from the table in `src/model/features.ts`. All are off at first; while one is',
      'off, what it opens is refused with `feature_not_enabled`. `PATCH /experimental-features` turns them on; some launch',
      'options do so at each start.',
      '',
      '| switch | opens |',
      '| --- | --- |',
      ...rows,
      '',
    ].join('\n');
    await expect(text).toMatchFileSnapshot('../../docs/features.md');
  });

  it('answers what docs/api-reference.md says (vitest -u writes it)', async () => {
    const text = apiReference(openApiOf(routes, ''));
    await expect(text).toMatchFileSnapshot('../../docs/api-reference.md');
  });

  it('takes the search parameters that docs/search-parameters.md explains', () => {
    const page = fs.readFileSync('docs/search-parameters.md', 'utf8');
    for (const [name, means] of Object.entries(SEARCH_PARAMETERS)) {
      const [, section = ''] = page.split(`\n### ${name}\n\n`);
      expect(section.startsWith(`${means}.`), name).toBe(true);
      expect(section.split('\n### ')[0], name).toMatch(/```sh (un)?tried\n[\s\S]*\nMistake: /);
    }
    const accepted = [
      ...Object.keys(SearchBody.properties),
      ...Object.keys(SearchOptions.properties),
    ];
    expect(Object.keys(SEARCH_PARAMETERS)).toEqual(expect.arrayContaining(accepted));
  });

  it('raises the codes that docs/errors.md says (vitest -u writes it)', async () => {
    const sources = { routes, cases: routeErrorCases };
    expect(unexplained(sources)).toEqual([]);
    await expect(errorsPage(sources)).toMatchFileSnapshot('../../docs/errors.md');
  });
});
