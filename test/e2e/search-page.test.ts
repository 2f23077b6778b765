/** The search page over HTTP and in a browser. */
import { gzipSync } from 'node:zlib';
import type { Meilisearch } from 'meilisearch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser, Page } from '../../scripts/lib/browser.ts';
import { describeInBrowser, sharedBrowser, startServer } from '../support/in-browser.ts';
import { PageDriver } from '../support/page-driver.ts';
import { MASTER_KEY, sharedServer } from '../support/shared-server.ts';
import { cleanUp, type TestServer } from '../support/test-server.ts';

const PAGE_BYTES_MAX = 150_000;

const FILMS = [
  { id: 1, title: 'Carol', genres: ['Romance', 'Drama'], year: 2015 },
  { id: 2, title: 'Wonder Woman', genres: ['Action', 'Adventure'], year: 2017 },
  { id: 3, title: 'Life of Pi', genres: ['Adventure', 'Drama'], year: 2012 },
  { id: 4, title: 'Moonlight', genres: ['Drama'], year: 2016 },
  { id: 5, title: 'Philadelphia', genres: ['Drama'], year: 1993 },
];

afterAll(cleanUp);

describe('the search page', () => {
  it('is served in development, is small, and loads nothing from other servers', async () => {
    const server = await sharedServer();
    let bytes = 0;
    for (const path of ['/', '/search-page/page.js', '/search-page/page.css']) {
      const response = await fetch(server.url + path);
      expect(response.status, path).toBe(200);
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      const text = await response.text();
      expect(text.match(/https?:\/\/(?!www\.w3\.org\/)[\w.-]+/g) ?? [], path).toEqual([]);
      bytes += gzipSync(text).length;
    }
    expect(bytes).toBeLessThan(PAGE_BYTES_MAX);
    expect((await fetch(`${server.url}/search-page/secret.txt`)).status).toBe(404);
    expect((await fetch(`${server.url}/search-page/..%2Fworkers%2Ffront.js`)).status).toBe(404);
  });
});

/** Markup, scripts, control characters and bidirectional marks in every value and name. */
const hostileDocuments = (count: number) =>
  Array.from({ length: count }, (_, id) => {
    const bad = [
      `<img src=x onerror="window.hit=${id}">`,
      `</p><script>window.hit=${id}</script>`,
      `javascript:window.hit=${id}`,
      `\u202Egnp.exe\u0000\u0007 wicked ${id}`,
      `"><svg onload=window.hit=${id}>`,
      `{{constructor.constructor('window.hit=1')()}}`,
    ][id % 6];
    return { id, title: `wicked ${bad}`, tags: [bad], [`<b>${id % 7}`]: { deep: bad } };
  });

/** Without `--search-page`, production does not serve the page: runtime.test.ts. */
describeInBrowser('in a browser, in production', () => {
  let server: TestServer;
  let client: Meilisearch;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    ({ server, client } = await startServer('--env', 'production', '--search-page'));
    const settings = {
      searchableAttributes: ['title', 'overview'],
      filterableAttributes: ['genres', 'year'],
      sortableAttributes: ['year'],
    };
    await client.index('films').updateSettings(settings).waitTask();
    await client
      .index('films')
      .addDocuments([...FILMS], { primaryKey: 'id' })
      .waitTask();
    const wicked = client.index('wicked');
    await wicked.updateSettings({ filterableAttributes: ['tags'] }).waitTask();
    await wicked.addDocuments(hostileDocuments(1000), { primaryKey: 'id' }).waitTask();
    browser = sharedBrowser();
    page = await browser.open(server.url);
  });

  const read = (selector: string): Promise<string[]> =>
    page.evaluate(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((e) => e.textContent)`,
    );
  const click = (selector: string, text = ''): Promise<void> =>
    new PageDriver(page).click(selector, text);
  /** Sets the value like typing does. */
  const fill = async (selector: string, text: string): Promise<void> => {
    await shows(() => read(selector).then((found) => found.length > 0), true);
    await page.evaluate(`(() => {
      const e = document.querySelector(${JSON.stringify(selector)});
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(e), 'value').set.call(e, ${JSON.stringify(text)});
      e.dispatchEvent(new Event(e.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true }));
    })()`);
  };
  /**
   * Resolves after the page has handled the change of its URL, so that the next step does not use
   * the old view.
   */
  const go = (fragment: string): Promise<void> =>
    page.evaluate(`new Promise((done) => {
      const fragment = ${JSON.stringify(fragment)};
      if (location.hash === fragment) return done();
      addEventListener('hashchange', () => requestAnimationFrame(done), { once: true });
      location.hash = fragment;
    })`);
  const titles = async (): Promise<string[]> =>
    (await read('.hit h2 > [dir]')).map((text) => text.trim());
  const shows = (what: () => Promise<unknown>, expected: unknown): Promise<void> =>
    expect.poll(what).toEqual(expected);

  it('asks for an API key, and uses it', async () => {
    await shows(() => read('main .failure a'), ['missing_authorization_header']);
    await fill('.key input', MASTER_KEY);
    await click('.key button');
    await shows(() => read('main .failure a'), []);
    await shows(() => read('.index-choice option'), ['films', 'wicked']);
  });

  it('searches at every keystroke, highlights matches, and explains scores', async () => {
    await go('#/search/films');
    await fill('input[type=search]', 'wondre wom');
    await shows(() => titles().then(([first]) => first), 'Wonder Woman');
    expect(await read('.hit h2 mark')).toEqual(['Wonder', 'Wom']);
    await click('.hit button', 'Why this hit?');
    await shows(
      () => read('.why li').then(([first]) => first?.includes('2 of 2 words found')),
      true,
    );
    await shows(() => page.evaluate('location.hash'), '#/search/films?q=wondre+wom');
  });

  it('filters by values and ranges, and sorts', async () => {
    await fill('input[type=search]', '');
    await shows(() => titles().then((all) => all.length), Math.min(FILMS.length, 20));
    await click('.facet label', 'Drama');
    const dramas = FILMS.filter(({ genres }) => genres.includes('Drama'));
    await shows(() => titles().then((all) => all.length), Math.min(dramas.length, 20));
    await fill('.toolbar select', 'year:desc');
    const newest = Math.max(...dramas.map(({ year }) => year));
    const newestTitles = dramas.filter(({ year }) => year === newest).map(({ title }) => title);
    await shows(() => titles().then(([first = '']) => newestTitles.includes(first)), true);
    await fill('input[aria-label="year to"]', String(newest - 1));
    const older = dramas.filter(({ year }) => year < newest);
    await shows(() => titles().then((all) => all.length), Math.min(older.length, 20));
  });

  it('shows the error code of an invalid filter', async () => {
    await go('#/search/films');
    await fill('.options input.filter', 'director = "x"');
    await shows(() => read('main .failure a'), ['invalid_search_filter']);
  });

  it('shows hostile documents as text', async () => {
    await go('#/search/wicked?q=wicked');
    const isWicked = (title: string) => title.includes('wicked');
    await shows(() => titles().then((all) => all.filter(isWicked).length), 20);
    for (const words of ['wicked', 'wicked img', 'script', 'javascript', 'exe', 'onload']) {
      await fill('input[type=search]', words);
      await shows(() => titles().then((all) => all.length), 20);
    }
    expect(await page.evaluate('window.hit ?? null')).toBeNull();
    expect(
      await page.evaluate(`document.querySelectorAll('main img, main svg, main script').length`),
    ).toBe(0);
  });

  it('imports a dropped file into the index that its name suggests', async () => {
    await go('#/indexes');
    await shows(() => read('.drop'), [expect.stringContaining('Drop a file')]);
    await page.evaluate(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(['{"id":1,"t":"gannets dive"}'], 'sea birds.ndjson'));
      document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true }));
    })()`);
    await shows(() => read('.import button'), ['Import']);
    await click('.import button');
    await shows(() => read('.import [role=status] a'), ['Search the index']);
    await click('.import [role=status] a');
    await shows(titles, ['gannets dive']);
    await go('#/tasks');
    await shows(() => read('tbody tr:first-child td:nth-child(4)'), ['succeeded']);
  });

  it('creates API keys', async () => {
    await go('#/keys');
    await fill('.new-key input', 'for the shop');
    await click('.new-key [type=submit]');
    await shows(async () => (await read('.keys li h2')).includes('for the shop'), true);
  });

  it('sends requests only to its own server, and logs no errors', async () => {
    const asked = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin)`,
    );
    expect([...new Set(asked)]).toEqual([server.url]);
    // The browser's console logs refused requests.
    const others = browser.complaints.filter((text) => !text.startsWith('Failed to load resource'));
    expect(others).toEqual([]);
  });

  it('labels every control for screen readers', async () => {
    for (const view of ['search/films', 'indexes', 'settings/films', 'keys', 'tasks']) {
      await go(`#/${view}`);
      await shows(() => read('main > *').then((all) => all.length > 0), true);
      const nameless = await page.evaluate<
        string[]
      >(`[...document.querySelectorAll('input, select, textarea, button')]
        .filter((e) => !e.labels?.length && !e.ariaLabel && !e.textContent.trim())
        .map((e) => e.outerHTML)`);
      expect(nameless, view).toEqual([]);
    }
  });
});
