/** The search view of the page in a browser, at the widths of a desktop and of a phone. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from '../../scripts/lib/browser.ts';
import { faultsAt } from '../support/axe.ts';
import { describeInBrowser, sharedBrowser } from '../support/in-browser.ts';
import { PageDriver, widthsOfSteps } from '../support/page-driver.ts';
import { fillShop, PRODUCTS } from '../support/product-fixture.ts';
import { freshUid, MASTER_KEY, sharedServer } from '../support/shared-server.ts';

/** Embeds texts by their length. */
const startEmbedder = (): Promise<Server> =>
  new Promise((done) => {
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        const { input } = JSON.parse(body) as { input: string };
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ embedding: [1, input.length, 1] }));
      });
    });
    server.listen(0, '127.0.0.1', () => done(server));
  });

describeInBrowser('the search view', () => {
  const [SHOP, NOTES] = [freshUid('shop'), freshUid('notes')];
  let browser: Browser;
  let embedder: Server;
  let driver: PageDriver;

  beforeAll(async () => {
    embedder = await startEmbedder();
    const server = await sharedServer();
    const { client } = server;
    await fillShop(client, SHOP);
    const notes = client.index(NOTES);
    const { port } = embedder.address() as AddressInfo;
    const rest = {
      source: 'rest',
      url: `http://127.0.0.1:${port}`,
      request: { input: '{{text}}' },
      response: { embedding: '{{embedding}}' },
      dimensions: 3,
    } as const;
    await notes.updateSettings({ embedders: { meaning: rest } }).waitTask();
    await notes
      .addDocuments([
        { id: 1, text: 'A gannet dives' },
        { id: 2, text: 'Sails at sea' },
      ])
      .waitTask();
    browser = sharedBrowser();
    driver = await PageDriver.open(browser, server.url, MASTER_KEY);
  });

  afterAll(async () => {
    embedder?.close();
  });

  const titles = () => driver.read('.hit h2 > [dir]');
  const totalOf = async () => (await driver.read('.total strong'))[0];
  const evaluate = <T>(expression: string): Promise<T> => driver.page.evaluate<T>(expression);

  const facetOf = (field: string) => `.facet[data-field="${field}"]`;

  describe.each(widthsOfSteps('phone'))('at a width of %i pixels', (width) => {
    const isPhone = width < 768;
    const openFacets = () => (isPhone ? driver.click('.toolbar button', 'Filters') : undefined);
    const closeFacets = () => (isPhone ? driver.click('.sheet-end button') : undefined);

    beforeAll(() => driver.resize(width));

    /** Another view in between empties the search. */
    const start = async (state = '', index = SHOP) => {
      await driver.go('#/tasks');
      await driver.go(`#/search/${index}${state}`);
      await driver.shows(() => titles().then((all) => all.length > 0), true);
    };

    it('shows hits as products: image, title, key, fields in the order of the index', async () => {
      await start('?q=trail');
      await driver.shows(titles, ['Trail shoe']);
      expect(await driver.read('.hit .id')).toEqual(['P-0']);
      expect(await driver.read('.hit mark')).toEqual(['Trail']);
      const names = ['brand', 'notes', 'price', 'stock', 'created_at', 'tags'];
      const shown = () => driver.read('.hit dt').then((all) => all.slice(0, 6));
      // The order of the index arrives after the hits.
      await driver.shows(shown, names);
      expect(await driver.read('.hit time')).toEqual(['2023-11-15']);
      expect(await driver.read('.hit .tag')).toEqual(['outdoor', 'sale']);
      await driver.shows(() => evaluate(`document.querySelector('.hit img')?.complete`), true);
    });

    it('shows the JSON of a hit on demand, without members that the search adds', async () => {
      await start('?q=trail');
      expect(await driver.read('.hit pre')).toEqual([]);
      await driver.click('.hit button', 'JSON');
      await driver.shows(() => driver.read('.hit pre').then((all) => all.length), 1);
      expect(JSON.parse((await driver.read('.hit pre'))[0] ?? '')).toEqual(PRODUCTS[0]);
    });

    it('names the controls of each hit after its title', async () => {
      await start('?q=shoe');
      const names = await driver.read('.hit .actions button');
      expect(names.length).toBeGreaterThan(1);
      expect(new Set(names).size).toBe(names.length);
    });

    it('dims the hits of the search before a refused one', async () => {
      await start('?q=trail');
      await driver.fill('.search-form .filter', 'colour = red');
      await driver.shows(() => driver.read('.search > .failure a'), ['invalid_search_filter']);
      expect((await driver.read('.search > .failure'))[0]).toMatch(/^The attribute `?colour/);
      expect(await evaluate(`getComputedStyle(document.querySelector('.found')).opacity`)).toBe(
        '0.5',
      );
    });

    it('loads images of other servers only after the user allows it', async () => {
      await start('?q=shoe%201');
      const sources = () =>
        evaluate(`[...document.querySelectorAll('.hit img')].map((e) => e.src)`);
      const isChecked = () => evaluate(`document.querySelector('.images input')?.checked`);
      await driver.shows(isChecked, false);
      expect(await sources()).toEqual([]);
      await driver.click('.images input');
      await driver.shows(isChecked, true);
      expect(await evaluate(`localStorage.getItem('gannet-images:${SHOP}')`)).toBe('yes');
      await driver.click('.images input');
      await driver.shows(isChecked, false);
    });

    it('lists the most frequent values first, and more on demand', async () => {
      await start();
      await openFacets();
      const brands = () => driver.read(`${facetOf('brand')} label`);
      await driver.shows(() => brands().then(([first]) => first), 'Zeta 130');
      expect(await brands()).toHaveLength(8);
      await driver.click(`${facetOf('brand')} button`, 'Show 92 more');
      await driver.shows(() => brands().then((all) => all.length), 100);
      await driver.click(`${facetOf('brand')} button`, 'Show fewer');
      await closeFacets();
    });

    it('searches within a facet, also values that the list lacks', async () => {
      await start();
      await openFacets();
      // The list has the 100 most frequent values, among equals the last by name.
      await driver.fill(`${facetOf('brand')} input[type=search]`, 'aard');
      const brands = () => driver.read(`${facetOf('brand')} label`);
      await driver.shows(() => brands().then((all) => all.includes('Aardvark 1')), true);
      expect(await brands()).not.toContain('Zeta 130');
      await driver.click(`${facetOf('brand')} label`, 'Aardvark');
      await closeFacets();
      await driver.shows(titles, ['Shoe 1']);
      expect(await driver.read('.active-filters .chip')).toEqual(['brand: Aardvark ✕']);
      await driver.click('.active-filters button', 'Clear all');
      await driver.shows(totalOf, '260');
    });

    it('narrows by sliders and fields for numbers and dates', async () => {
      await start();
      await openFacets();
      await driver.fill(`${facetOf('stock')} input[type=range]:first-child`, '249.8');
      await driver.shows(totalOf, '10');
      expect(await driver.value(`${facetOf('stock')} input[type=number]`)).toBe('250');
      await driver.fill(`${facetOf('stock')} input[aria-label="stock to"]`, '252');
      await driver.shows(totalOf, '3');
      const bounds = () =>
        evaluate(
          `(({ min, max }) => [min, max])(document.querySelector('${facetOf('stock')} input'))`,
        );
      await driver.shows(bounds, ['0', '259']);
      await driver.page.evaluate(`(() => {
        const e = document.querySelector('${facetOf('created_at')} input[aria-label="created_at to"]');
        e.value = '2024-07-22';
        e.dispatchEvent(new Event('change', { bubbles: true }));
      })()`);
      await driver.shows(totalOf, '1');
      await closeFacets();
      await driver.shows(titles, ['Shoe 250']);
      expect(await driver.read('.active-filters .chip')).toEqual([
        'stock: 250 – 252 ✕',
        'created_at: up to 2024-07-22 ✕',
      ]);
    });

    it('explains a place in the results in sentences', async () => {
      await start('?q=trial%20shoe');
      await driver.click('.hit button', 'Why this hit?');
      await driver.shows(
        () => driver.read('.why strong').then((all) => all.slice(0, 3)),
        ['Words found', 'Typos', 'Proximity'],
      );
      const rows = await driver.read('.why li');
      expect(rows[0]).toContain('2 of 2 words found');
      expect(rows[1]).toContain('1 typo (at most 2 allowed)');
    });

    it('gives the search as code, with a placeholder for the key', async () => {
      await start('?q=trail&sort=price:asc');
      await driver.click('.toolbar button', 'Copy as code');
      const code = () => driver.read('dialog pre').then(([text]) => text);
      await driver.shows(() => code().then((text) => text?.includes('Bearer YOUR_API_KEY')), true);
      for (const language of ['JavaScript', 'Python']) {
        await driver.click('dialog .segments label', language);
        await driver.shows(() => code().then((text) => text?.startsWith('import')), true);
        expect(await code()).toContain('"price:asc"');
      }
      await driver.click('dialog header button');
      await driver.shows(() => driver.read('dialog'), []);
    });

    it('lists the hits nearest to one of them with their distances', async () => {
      await start('?q=shoe%20100');
      await driver.click('.hit button', 'Nearest to this');
      await driver.fill('.search-box input', '');
      await driver.shows(
        () => driver.read('.hit .where strong').then((all) => all.slice(0, 2)),
        ['0 m away', '1.1 km away'],
      );
      await driver.fill('.geo label:nth-of-type(3) input', '3');
      await driver.shows(totalOf, '5');
    });

    it('mixes keywords and meaning where the index has an embedder', async () => {
      await start('?q=gannet', NOTES);
      await driver.shows(totalOf, '1');
      await driver.fill('.meaning select', 'meaning');
      await driver.shows(totalOf, '2');
      await driver.fill('.meaning input[type=range]', '0');
      await driver.shows(totalOf, '1');
      expect(await driver.read('.meaning .ratio')).toEqual(['KeywordsMeaning 0 %']);
    });

    it('is no wider than the window, and accessible, also with its dialogs', async () => {
      await start('?q=shoe&chosen={"tags":["sale"]}');
      await driver.click('.hit button', 'Why this hit?');
      await openFacets();
      expect(await faultsAt(driver.page, width)).toEqual([]);
      expect(await driver.overflow()).toBe(0);
      await closeFacets();
    });
  });

  it('reports no error in the browser but refused requests', () => {
    const others = browser.complaints.filter((text) => !text.startsWith('Failed to load resource'));
    expect(others).toEqual([]);
  });
});
