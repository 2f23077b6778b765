/** Settings of the index of the documentation. */
import type { Settings } from '../../src/model/settings.ts';

/** Newcomers' words, and the words of these pages. */
const SYNONYMS: Settings['synonyms'] = {
  angular: ['instantsearch', 'javascript'],
  authentication: ['key', 'keys'],
  autosuggest: ['autocomplete'],
  certificate: ['tls', 'certificate'],
  browser: ['browsers', 'page', 'pages'],
  chatbot: ['chat', 'chats', 'rag'],
  crop: ['attributestocrop', 'croplength'],
  docker: ['container', 'containers', 'compose'],
  embedding: ['embedder', 'vector', 'vectors'],
  fuzzy: ['typo', 'typos', 'typotolerance'],
  hardware: ['sizing', 'sizes'],
  highlight: ['attributestohighlight', 'highlightpretag'],
  helm: ['kubernetes'],
  https: ['tls'],
  install: ['start', 'npm'],
  k8s: ['kubernetes'],
  limiting: ['requestspersecond', 'limit'],
  llm: ['language', 'model', 'chats'],
  migrate: ['migrating'],
  misspelling: ['typo', 'typos'],
  multitenancy: ['tenant', 'tenants'],
  pagination: ['page', 'hitsperpage', 'offset'],
  password: ['key', 'master'],
  prometheus: ['metrics', 'prometheus'],
  ram: ['memory', 'sizing'],
  rate: ['requestspersecond'],
  react: ['instantsearch', 'javascript'],
  reindex: ['rebuild', 'rebuilds', 'costs'],
  restore: ['restoring', 'restore', 'snapshot'],
  saas: ['tenant', 'tenants', 'customers'],
  semantic: ['meaning', 'vectors', 'hybrid'],
  signed: ['tls', 'certificate', 'signed'],
  slow: ['tuning', 'slow'],
  spelling: ['typo', 'typos'],
  ssl: ['tls'],
  suggestions: ['autocomplete', 'suggestions'],
  svelte: ['instantsearch', 'javascript'],
  throttle: ['requestspersecond'],
  vue: ['instantsearch', 'javascript'],
};

/** Words of questions that say nothing about their subject. */
const EMPTY_WORDS =
  'a an and are at be can do does for from get how i in is it me much my need of on one or run set the this to up use using what when where which why with work works you your';

export const docsSettings: Partial<Settings> = {
  searchableAttributes: ['heading', 'title', 'page', 'text'],
  sortableAttributes: ['rank'],
  rankingRules: ['words', 'attribute', 'rank:asc', 'exactness', 'relevance'],
  distinctAttribute: 'page',
  stopWords: EMPTY_WORDS.split(' '),
  synonyms: SYNONYMS,
};
