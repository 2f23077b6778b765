/** What newcomers type into the search of the documentation, and the page that answers it. */
import { describe, expect, it } from 'vitest';
import { renderDocumentation } from '../../../scripts/lib/documentation.mjs';
import { DocsSearch, type DocsSection } from '../../../src/docs-page/docs-search.ts';

const sections = JSON.parse(renderDocumentation('.').get('sections.json') ?? '[]') as DocsSection[];
const search = new DocsSearch(sections);

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
  it.each(QUESTIONS)('%s leads to %s', (question, page) => {
    const found = search.find(question, 3);
    expect(found.map(({ section }) => section.page)).toContain(page);
  });

  it('has at least 40 questions', () => expect(QUESTIONS.length).toBeGreaterThanOrEqual(40));

  it('finds nothing where there is nothing', () => {
    expect(search.find('qqqqqqqqqqq', 3)).toEqual([]);
    expect(search.find('', 3)).toEqual([]);
  });

  it('forgives typos and completes words', () => {
    const pagesOf = (text: string) => search.find(text, 3).map(({ section }) => section.page);
    expect(pagesOf('kubernets')).toContain('kubernetes');
    expect(pagesOf('autocom')).toContain('autocomplete');
  });
});
