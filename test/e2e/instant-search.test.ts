/**
 * A search page made of InstantSearch widgets and the unchanged adapter, in a real browser, on
 * another origin than the server.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import type { Meilisearch, SearchParams } from 'meilisearch';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Browser, Page } from '../../scripts/lib/browser.ts';
import { describeInBrowser, sharedBrowser } from '../support/in-browser.ts';
import { freshUid, type SharedServer, sharedServer } from '../support/shared-server.ts';
import { freshFolder } from '../support/test-server.ts';

const SCRIPT = resolve(import.meta.dirname, '../support/instant-search-page.mjs');
const HITS_PER_PAGE = 6;
const CONTAINERS = [
  'search',
  'stats',
  'hits',
  'pages',
  'genres',
  'countries',
  'years',
  'sort',
  'map',
  'people',
];
/** What a page shows may come late, never wrong in the end. */

interface Film {
  readonly id: number;
  readonly title: string;
  readonly overview: string;
  readonly genres: readonly string[];
  readonly country: string;
  readonly year: number;
  readonly _geo: { readonly lat: number; readonly lng: number };
}

const FIRST_WORDS = [
  'Silent',
  'Golden',
  'Northern',
  'Hidden',
  'Broken',
  'Velvet',
  'Paper',
  'Distant',
];
const SECOND_WORDS = ['Harbor', 'Night', 'Garden', 'Orchestra', 'Lighthouse'];
const GENRES = ['Drama', 'Comedy', 'Thriller', 'Science Fiction', 'Film "Noir"'];
const PLACES = [
  { country: 'France', lat: 48.85, lng: 2.35 },
  { country: 'Japan', lat: 35.68, lng: 139.69 },
  { country: 'Brazil', lat: -22.91, lng: -43.17 },
  { country: "Côte d'Ivoire", lat: 5.36, lng: -4.01 },
];
const PARIS_BOX = { northEast: { lat: 50, lng: 5 }, southWest: { lat: 47, lng: 1 } };

const FILMS: readonly Film[] = FIRST_WORDS.flatMap((first, i) =>
  SECOND_WORDS.map((second, j) => {
    const id = i * SECOND_WORDS.length + j;
    const { country, lat, lng } = PLACES[(i + j) % PLACES.length]!;
    return {
      id,
      title: `${first} ${second}`,
      overview: `Nobody in the village remembers who built the ${second.toLowerCase()} or why it was left to the sea so long ago.`,
      genres: [...new Set([GENRES[id % GENRES.length]!, GENRES[(id * 3 + 1) % GENRES.length]!])],
      country,
      year: 1980 + ((id * 7) % 40),
      _geo: { lat: lat + id / 1000, lng },
    };
  }),
);
const PEOPLE = ['Nigella Night', 'Harriet Harbor', 'Nora Garden'].map((name, id) => ({ id, name }));

/** Names of a list of values with the number of documents each has. */
function tally(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

const idsOf = (films: readonly { readonly id: number }[]): number[] => films.map(({ id }) => id);
describeInBrowser('InstantSearch in a browser', () => {
  const [filmsUid, peopleUid] = [freshUid('films'), freshUid('people')];
  let server: SharedServer;
  let client: Meilisearch;
  let pages: Server;
  let browser: Browser;
  let page: Page;
  let searchKey: string;

  beforeAll(async () => {
    const folder = freshFolder();
    const bundle = join(folder, 'page.js');
    const define = { 'process.env.NODE_ENV': '"production"' };
    await build({
      entryPoints: [SCRIPT],
      outfile: bundle,
      bundle: true,
      minify: true,
      define,
      logLevel: 'error',
    });
    const script = readFileSync(bundle);
    pages = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://page');
      const layout = searchParams.get('layout') ?? 'pages';
      if (pathname === '/page.js')
        response.setHeader('content-type', 'text/javascript').end(script);
      else response.setHeader('content-type', 'text/html; charset=utf-8').end(html(layout));
    }).listen(0, '127.0.0.1');
    await once(pages, 'listening');

    server = await sharedServer();
    client = server.client;
    const { results } = await client.getKeys({ limit: 1000 });
    searchKey = results.find(({ name }) => name === 'Default Search API Key')?.key ?? '';
    const settings = {
      searchableAttributes: ['title', 'overview'],
      filterableAttributes: ['genres', 'country', 'year', '_geo'],
      sortableAttributes: ['year', 'title', 'country', '_geo'],
    };
    await client.index(filmsUid).updateSettings(settings).waitTask();
    await client
      .index(filmsUid)
      .addDocuments([...FILMS], { primaryKey: 'id' })
      .waitTask();
    await client.index(peopleUid).addDocuments(PEOPLE, { primaryKey: 'id' }).waitTask();
    browser = sharedBrowser();
  });

  afterAll(() => pages?.close());

  const html = (layout: string): string => {
    const indexes = { films: filmsUid, people: peopleUid };
    const address = { host: server.url, apiKey: searchKey, ...indexes };
    const settings = { ...address, layout, hitsPerPage: HITS_PER_PAGE };
    return `<!doctype html><title>films</title><link rel="icon" href="data:,">
${CONTAINERS.map((id) => `<div id="${id}"></div>`).join('\n')}
<script>window.SETTINGS = ${JSON.stringify(settings)};</script><script src="/page.js"></script>`;
  };

  const open = async (layout: string): Promise<void> => {
    const { port } = pages.address() as AddressInfo;
    page = await browser.open(`http://127.0.0.1:${port}/?layout=${layout}`);
    await shows(shownIds, idsOf(FILMS.slice(0, HITS_PER_PAGE)));
  };

  /** What the elements of a selector say, each through a function of the element `e`. */
  const read = <T = string>(selector: string, each = 'e.textContent'): Promise<T[]> =>
    page.evaluate(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((e) => ${each})`,
    );
  /** Clicks the element as soon as it is there. */
  const click = async (selector: string, text = ''): Promise<void> => {
    const found = `[...document.querySelectorAll(${JSON.stringify(selector)})]
      .find((e) => e.textContent.startsWith(${JSON.stringify(text)}))`;
    await expect.poll(() => page.evaluate(`Boolean(${found})`)).toBe(true);
    await page.evaluate(`${found}.click()`);
  };
  const focus = (selector: string): Promise<void> =>
    page.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`);

  const shownIds = (): Promise<number[]> => read<number>('#hits article', 'Number(e.dataset.id)');
  const shownCount = async (): Promise<number> => Number((await read('#stats .ais-Stats-text'))[0]);
  const shownFacet = async (container: string): Promise<Record<string, number>> => {
    const name = `e.querySelector('.ais-RefinementList-labelText').textContent`;
    const count = `Number(e.querySelector('.ais-RefinementList-count').textContent)`;
    return Object.fromEntries(
      await read<[string, number]>(`#${container} li`, `[${name}, ${count}]`),
    );
  };
  const shows = async <T>(what: () => Promise<T>, expected: T): Promise<void> => {
    await expect.poll(what).toEqual(expected);
  };

  /** The page shows what the server answers to this request, asked without adapter and browser. */
  const showsAnswerTo = async (query: string, params: SearchParams = {}): Promise<void> => {
    const request = {
      page: 1,
      hitsPerPage: HITS_PER_PAGE,
      facets: ['genres', 'country'],
      ...params,
    };
    const answer = await client.index(filmsUid).search<Film>(query, request);
    expect(answer.hits.length, 'hits of the direct answer').toBeGreaterThan(0);
    await shows(shownIds, idsOf(answer.hits));
    await shows(shownCount, (answer as unknown as { totalHits: number }).totalHits);
    await shows(() => shownFacet('genres'), answer.facetDistribution?.['genres'] ?? {});
  };

  describe('a page of results', () => {
    beforeEach(() => open('pages'));
    afterEach(() => page.close());

    test('long texts are cut around what matched', async () => {
      await page.type('village');
      await showsAnswerTo('village');
      const [snippet = ''] = await read('#hits p');
      expect(snippet).toContain('village');
      expect(snippet.length).toBeLessThan(FILMS[0]!.overview.length);
      await shows(async () => (await read('#hits p mark'))[0], 'village');
    });

    test('refinement lists count and narrow: all chosen genres, any chosen country', async () => {
      await shows(() => shownFacet('genres'), tally(FILMS.flatMap(({ genres }) => genres)));
      const countries = tally(FILMS.map(({ country }) => country));
      await shows(() => shownFacet('countries'), countries);
      await click('#genres label', 'Film "Noir"');
      const noir = FILMS.filter(({ genres }) => genres.includes('Film "Noir"'));
      await shows(shownCount, noir.length);
      await showsAnswerTo('', { filter: ['genres = "Film \\"Noir\\""'] });
      await click('#genres label', 'Comedy');
      await shows(shownCount, noir.filter(({ genres }) => genres.includes('Comedy')).length);
      await click('#genres label', 'Comedy');
      await click('#genres label', 'Film "Noir"');
      await click('#countries label', "Côte d'Ivoire");
      await shows(shownCount, countries["Côte d'Ivoire"] ?? 0);
      await shows(() => shownFacet('countries'), countries);
      await click('#countries label', 'Japan');
      await shows(shownCount, (countries["Côte d'Ivoire"] ?? 0) + (countries['Japan'] ?? 0));
      await showsAnswerTo('', { filter: ['country IN ["Japan", "Côte d\'Ivoire"]'] });
      await shows(() => shownFacet('countries'), countries);
    });

    test('values of a facet are searched', async () => {
      await focus('#genres input[type=search]');
      await page.type('sci');
      await shows(async () => Object.keys(await shownFacet('genres')), ['Science Fiction']);
      await click('#genres label', 'Science Fiction');
      await showsAnswerTo('', { filter: 'genres = "Science Fiction"' });
    });

    test('pages are numbered, and page 2 follows page 1', async () => {
      const lastPage = Math.ceil(FILMS.length / HITS_PER_PAGE);
      await shows(
        () => read('#pages .ais-Pagination-item--page'),
        Array.from({ length: lastPage }, (_, i) => `${i + 1}`),
      );
      await click('#pages .ais-Pagination-item--page a', '2');
      await shows(shownIds, idsOf(FILMS.slice(HITS_PER_PAGE, 2 * HITS_PER_PAGE)));
      await showsAnswerTo('', { page: 2 });
      await click('#pages .ais-Pagination-item--lastPage a');
      await shows(shownIds, idsOf(FILMS.slice((lastPage - 1) * HITS_PER_PAGE)));
      await focus('#search input');
      await page.type('harbor');
      await showsAnswerTo('harbor');
      await shows(() => read('#pages .ais-Pagination-item--selected'), ['1']);
    });

    test('a map shows its hits, and a box or a circle on it narrows', async () => {
      const pins = (): Promise<number[]> => read('#map li', 'Number(e.dataset.lat)');
      await shows(
        pins,
        FILMS.slice(0, HITS_PER_PAGE).map(({ _geo }) => _geo.lat),
      );
      const french = FILMS.filter(({ country }) => country === 'France');
      await page.evaluate(`window.drive.moveMap(${JSON.stringify(PARIS_BOX)})`);
      await shows(shownCount, french.length);
      await showsAnswerTo('', { filter: '_geoBoundingBox([50, 5], [47, 1])' });
      await shows(
        pins,
        french.slice(0, HITS_PER_PAGE).map(({ _geo }) => _geo.lat),
      );
      await page.evaluate('window.drive.leaveMap()');
      await shows(shownCount, FILMS.length);
      await page.evaluate(`window.drive.searchAround('35.68,139.69', 300000)`);
      await shows(shownCount, FILMS.filter(({ country }) => country === 'Japan').length);
      await showsAnswerTo('', { filter: '_geoRadius(35.68, 139.69, 300000)' });
      await page.evaluate('window.drive.searchAnywhere()');
      await shows(shownCount, FILMS.length);
    });
  });

  describe('a page without end', () => {
    beforeEach(() => open('endless'));
    afterEach(() => page.close());

    test('more hits follow the first ones until there are no more', async () => {
      await page.type('night');
      await shows(shownCount, FIRST_WORDS.length);
      const { hits } = await client.index(filmsUid).search<Film>('night');
      await shows(shownIds, idsOf(hits.slice(0, HITS_PER_PAGE)));
      // The first page of `nigh` has the same films.
      await shows(
        () => read('#hits h2 mark'),
        Array.from({ length: HITS_PER_PAGE }, () => 'Night'),
      );
      await click('#hits .ais-InfiniteHits-loadMore');
      await shows(shownIds, idsOf(hits));
      await shows(() => read('#hits .ais-InfiniteHits-loadMore--disabled'), ['Show more results']);
    });

    test('one search box searches two indexes', async () => {
      await page.type('nigh');
      await shows(
        () => read('#people li', 'e.innerHTML.replace(/ class="[^"]*"/g, "")'),
        ['<span><span>Nigella </span><mark>Nigh</mark><span>t</span></span>'],
      );
      await shows(shownCount, FIRST_WORDS.length);
    });
  });

  test('no page complained of a refused request or an exception', () => {
    expect(browser.complaints).toEqual([]);
  });
});
