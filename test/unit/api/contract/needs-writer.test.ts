/** Which routes a node passes on to the node that writes. */
import { expect, it } from 'vitest';
import { needsWriter } from '../../../../src/api/contract/needs-writer.ts';
import { routes } from '../../../../src/api/routes/index.ts';

it('every node answers reads itself, whatever their method', () => {
  const here = routes.filter((route) => route.method !== 'GET' && !needsWriter(route));
  expect(here.map(({ id }) => id).sort()).toMatchInlineSnapshot(`
    [
      "chats.complete",
      "documents.fetch",
      "facetSearch.post",
      "fields.post",
      "indexes.compare",
      "logs.endStream",
      "logs.stderr",
      "logs.stream",
      "mcp.post",
      "multiSearch.post",
      "renderTemplate.post",
      "search.post",
      "searchRules.list",
      "settings.preview",
      "similar.post",
    ]
  `);
});

it('of the GET routes only the deliveries of webhooks are passed on', () => {
  const passedOn = routes.filter((route) => route.method === 'GET' && needsWriter(route));
  expect(passedOn.map(({ id }) => id)).toEqual(['webhooks.deliveries']);
});
