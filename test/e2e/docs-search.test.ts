/** What newcomers type into the search of the documentation, and the page that answers it. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type SharedServer, sharedServer } from '../support/shared-server.ts';

let server: SharedServer;
beforeAll(async () => {
  server = await sharedServer();
});

interface Found {
  readonly page: string;
  readonly heading: string;
  readonly anchor: string;
  readonly _formatted: { readonly text: string };
}

/** Without a key. */
async function find(text: string): Promise<readonly Found[]> {
  const answer = await fetch(`${server.url}/docs/search?q=${encodeURIComponent(text)}`);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { readonly hits: readonly Found[] }).hits;
}
const pagesOf = async (text: string): Promise<string[]> =>
  (await find(text)).slice(0, 3).map(({ page }) => page);

const QUESTIONS: readonly (readonly [question: string, page: string])[] = [
  ['cors', 'cors'],
  ['rate limiting', 'keys-and-tenants'],
  ['RAG', 'rag'],
  ['autocomplete', 'autocomplete'],
  ['fuzzy', 'settings'],
  ['reindex', 'settings'],
  ['kubernetes', 'kubernetes'],
  ['k8s', 'kubernetes'],
  ['vue', 'clients'],
  ['react', 'clients'],
  ['self-signed', 'reverse-proxies'],
  ['how do I install it', 'getting-started'],
  ['python client', 'clients'],
  ['docker compose', 'deployment'],
  ['nginx', 'reverse-proxies'],
  ['traefik', 'reverse-proxies'],
  ['backup', 'backups'],
  ['restore a snapshot', 'backups'],
  ['upgrade to a new version', 'upgrading'],
  ['migrate from elasticsearch', 'migrating-from-elasticsearch'],
  ['migrate from meilisearch', 'migrating-from-meilisearch'],
  ['multi tenant', 'multi-tenant-saas'],
  ['tenant token', 'keys-and-tenants'],
  ['api key for the browser', 'keys-and-tenants'],
  ['how much RAM do I need', 'sizing'],
  ['search is slow', 'tuning'],
  ['import csv', 'command-line'],
  ['semantic search', 'vectors'],
  ['hybrid search', 'search-parameters'],
  ['synonyms', 'settings'],
  ['stop words', 'settings'],
  ['filter by date', 'filters'],
  ['facets', 'filters'],
  ['sort by price', 'filters'],
  ['highlight matching words', 'search-parameters'],
  ['pagination', 'search-parameters'],
  ['webhook signature', 'webhooks'],
  ['prometheus metrics', 'monitoring'],
  ['port already in use', 'troubleshooting'],
  ['search finds nothing', 'troubleshooting'],
  ['production checklist', 'production-checklist'],
  ['japanese', 'languages'],
  ['chatbot', 'chat'],
  ['invalid_search_filter', 'errors'],
];

describe('the search of the documentation', () => {
  it.each(QUESTIONS)('%s leads to %s', async (question, page) => {
    expect(await pagesOf(question)).toContain(page);
  });

  it('has at least 40 questions', () => expect(QUESTIONS.length).toBeGreaterThanOrEqual(40));

  it('names each page once, with a section that exists and an excerpt', async () => {
    const found = await find('filter');
    expect(new Set(found.map(({ page }) => page)).size).toBe(found.length);
    expect(found.length).toBeGreaterThan(3);
    for (const { page, anchor, _formatted } of found) {
      const html = await (await fetch(`${server.url}/docs/${page}`)).text();
      expect(html, page).toContain(`id="${anchor}"`);
      expect(_formatted.text.length).toBeLessThan(400);
    }
  });

  it('finds nothing where there is nothing', async () => {
    expect(await find('qqqqqqqqqqq')).toEqual([]);
  });

  it('forgives typos and completes words', async () => {
    expect(await pagesOf('kubernets')).toContain('kubernetes');
    expect(await pagesOf('autocom')).toContain('autocomplete');
  });

  it('is bounded, takes words alone, and reaches no index of the user', async () => {
    const refused = async (query: string) => {
      const answer = await fetch(`${server.url}/docs/search${query}`);
      return [answer.status, ((await answer.json()) as { readonly code: string }).code];
    };
    expect(await refused(`?q=${'x'.repeat(201)}`)).toEqual([400, 'invalid_search_q']);
    expect(await refused('')).toEqual([400, 'invalid_search_q']);
    expect(await refused('?q=a&limit=1000')).toEqual([400, 'bad_request']);
    expect(await refused('?q=a&indexUid=films')).toEqual([400, 'bad_request']);
  });

  it('is no index of the server', async () => {
    const { client } = server;
    const { results } = await client.getRawIndexes({ limit: 1000 });
    expect(results.map(({ uid }) => uid)).not.toContain('documentation');
    await expect(client.index('documentation').search('cors')).rejects.toMatchObject({
      cause: { code: 'index_not_found' },
    });
    expect(Object.keys((await client.getStats()).indexes)).not.toContain('documentation');
  });
});
