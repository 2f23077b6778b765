/**
 * Searches the sections of the documentation: words with typos and synonyms, guides above
 * references above errors and internals.
 */
import MiniSearch, { type Query, type SearchResult } from 'minisearch';

export interface DocsSection {
  readonly page: string;
  readonly title: string;
  readonly id: string;
  readonly heading: string;
  readonly text: string;
}

export interface FoundSection {
  readonly section: DocsSection;
  /** Words of the section that matched. */
  readonly terms: readonly string[];
}

/** Newcomers' words, and the words of these pages. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
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
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  'a an and are at be can do does for from get how i in is it me much my need of on one or run set the this to up use using what when where which why with work works you your'.split(
    ' ',
  ),
);

/** Factors of the score, by page; guides have 1. */
const REFERENCES = /^(api|configuration|features|index|migrating-.*|relevance|telemetry)$/;
const INTERNALS =
  /^(adr-.*|api-reference|architecture|changelog|contributing|durability|results|routes)$/;
const REFERENCE_FACTOR = 0.3;
const ERROR_FACTOR = 0.2;
const INTERNAL_FACTOR = 0.1;
const PER_PAGE_MAX = 2;

function factorOf(page: string, isCode: boolean): number {
  if (page === 'errors') return isCode ? 1 : ERROR_FACTOR;
  if (INTERNALS.test(page)) return INTERNAL_FACTOR;
  return REFERENCES.test(page) ? REFERENCE_FACTOR : 1;
}

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}_]+/u)
    .filter((word) => word !== '');

/** Words with their synonyms, all of them wanted, or any. */
function queryOf(words: readonly string[], combineWith: 'AND' | 'OR'): Query {
  return {
    combineWith,
    queries: words.map((word) => ({
      combineWith: 'OR',
      queries: [word, ...(Object.hasOwn(SYNONYMS, word) ? (SYNONYMS[word] ?? []) : [])],
    })),
  };
}

export class DocsSearch {
  readonly #sections: readonly DocsSection[];
  readonly #index: MiniSearch;

  constructor(sections: readonly DocsSection[]) {
    this.#sections = sections;
    this.#index = new MiniSearch({
      fields: ['heading', 'title', 'text'],
      storeFields: ['page'],
      tokenize: wordsOf,
      searchOptions: {
        boost: { heading: 4, title: 3 },
        prefix: true,
        fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      },
    });
    this.#index.addAll(sections.map((section, id) => ({ ...section, anchor: section.id, id })));
  }

  /** Sections with all words; if there are none, those with most of them. Two of a page at most. */
  find(text: string, limit: number): FoundSection[] {
    const words = wordsOf(text);
    const full = words.filter((word) => !EMPTY_WORDS.has(word));
    const asked = full.length === 0 ? words : full;
    if (asked.length === 0) return [];
    const options = {
      boostDocument: (_id: unknown, _term: string, fields?: Record<string, unknown>) =>
        factorOf(String(fields?.['page']), text.includes('_')),
    };
    const all = this.#index.search(queryOf(asked, 'AND'), options);
    const found = all.length > 0 ? all : this.#index.search(queryOf(asked, 'OR'), options);
    return this.#fewOfEachPage(found).slice(0, limit);
  }

  #fewOfEachPage(found: readonly SearchResult[]): FoundSection[] {
    const counts = new Map<string, number>();
    return found.flatMap(({ id, terms }) => {
      const section = this.#sections[id as number];
      if (section === undefined) return [];
      const count = (counts.get(section.page) ?? 0) + 1;
      counts.set(section.page, count);
      return count > PER_PAGE_MAX ? [] : [{ section, terms }];
    });
  }
}
