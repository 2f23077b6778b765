/** The page with the keyboard alone, and with API keys that have few rights. */
import type { Meilisearch } from 'meilisearch';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeInBrowser, openPage } from '../support/in-browser.ts';
import { type PageDriver, WIDTHS } from '../support/page-driver.ts';
import { fillShop } from '../support/product-fixture.ts';
import { freshUid, type SharedServer, sharedServer } from '../support/shared-server.ts';

describeInBrowser('the page', () => {
  const [SHOP, PLAIN] = [freshUid('shop'), freshUid('plain')];
  let server: SharedServer;
  let client: Meilisearch;
  let driver: PageDriver;

  beforeAll(async () => {
    server = await sharedServer();
    client = server.client;
    await fillShop(client, SHOP);
    await client
      .index(PLAIN)
      .addDocuments([{ id: 1, title: 'Plain' }])
      .waitTask();
    driver = await openPage(server);
  });

  const titles = () => driver.read('.hit h2 > [dir]');
  /** What has the focus: a field's label, a title, or a text. */
  const focused = () =>
    driver.page.evaluate<string>(`(() => {
      const e = document.activeElement;
      return e.ariaLabel ?? e.querySelector('h2 > [dir]')?.textContent ?? e.textContent.trim();
    })()`);
  const selected = (selector: string) =>
    driver.page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`);

  describe.each(WIDTHS)('at a width of %i pixels', (width) => {
    beforeAll(() => driver.resize(width));

    it('has its navigation on one line, and no text outside of it', async () => {
      await driver.go(`#/search/${SHOP}`);
      const { lines, isInside } = await driver.page.evaluate<{
        lines: number;
        isInside: boolean;
      }>(`(() => {
        const links = [...document.querySelectorAll('.head nav a')].map((e) => e.getBoundingClientRect());
        const { left, right } = document.querySelector('.head nav').getBoundingClientRect();
        return { lines: new Set(links.map(({ top }) => top)).size, isInside: left >= 0 && right <= innerWidth };
      })()`);
      expect({ lines, isInside }).toEqual({ lines: 1, isInside: true });
    });

    it('is searched with the keyboard: /, arrows, Escape', async () => {
      const { page } = driver;
      await driver.go('#/tasks');
      await driver.go(`#/search/${SHOP}`);
      await driver.shows(() => titles().then((all) => all.length), 20);
      await page.evaluate('document.activeElement.blur()');
      await page.type('/');
      await driver.shows(focused, 'Search');
      await page.type('trail');
      await driver.shows(titles, ['Trail shoe']);
      await page.press('ArrowDown');
      await driver.shows(focused, 'Trail shoe');
      await page.press('ArrowDown');
      expect(await focused()).toBe('Trail shoe');
      await page.press('ArrowUp');
      await driver.shows(focused, 'Search');
      await page.press('ArrowDown');
      await page.press('Escape');
      await driver.shows(focused, 'Search');
      expect(await driver.value('.search-box input')).toBe('trail');
      await page.press('Escape');
      await driver.shows(() => driver.value('.search-box input'), '');
      await driver.shows(() => titles().then((all) => all.length), 20);
    });

    it('has the tab order search, hits, filters, and closes dialogs with Escape', async () => {
      const { page } = driver;
      await driver.go('#/tasks');
      await driver.go(`#/search/${SHOP}?q=trail`);
      await driver.shows(titles, ['Trail shoe']);
      await driver.shows(() => selected('.search-box input'), true);
      const places: string[] = [];
      for (let presses = 0; presses < 20 && places.at(-1) !== '.facets'; presses += 1) {
        await page.press('Tab');
        for (const place of ['.options', '.toolbar', '.hit', '.facets'])
          if ((await selected(`${place} *`)) && places.at(-1) !== place) places.push(place);
      }
      expect(places).toEqual(['.options', '.toolbar', '.hit', ...(width < 768 ? [] : ['.facets'])]);
      await page.evaluate(`document.querySelector('.search-box input').focus()`);
      await driver.click('.toolbar button', 'Copy as code');
      await driver.shows(() => driver.read('dialog[open]').then((all) => all.length), 1);
      await page.press('Escape');
      await driver.shows(() => driver.read('dialog'), []);
    });
  });

  describe('with a key that may only search', () => {
    beforeAll(async () => {
      const { key } = await client.createKey({
        actions: ['search'],
        indexes: [SHOP, PLAIN],
        expiresAt: null,
      });
      await driver.signIn(server.url, key);
    });

    it('offers the search alone, and asks for the name of the index', async () => {
      await driver.shows(() => driver.read('.head nav a'), ['Search', 'Docs']);
      await driver.shows(() => driver.read('main h1'), ['Which index?']);
    });

    it('searches with facets, and shows nothing that needs other rights', async () => {
      await driver.page.evaluate(`(() => {
        const e = document.querySelector('.index-choice input');
        e.value = '${SHOP}';
        e.dispatchEvent(new Event('change', { bubbles: true }));
      })()`);
      await driver.shows(() => titles().then((all) => all.length), 20);
      await driver.resize(1280);
      await driver.click('.facet[data-field="tags"] label', 'sale');
      await driver.shows(() => driver.read('.total strong'), ['87']);
      expect(await driver.read('main .failure')).toEqual([]);
      expect(await driver.read('.hit a')).toEqual([]);
      expect(await driver.read('.toolbar select')).toEqual([]);
    });

    it('searches an index without facets', async () => {
      await driver.go(`#/search/${PLAIN}`);
      await driver.shows(titles, ['Plain']);
      expect(await driver.read('main .failure')).toEqual([]);
    });

    it('opens the search instead of views that need other rights', async () => {
      await driver.go(`#/documents/${PLAIN}`);
      await driver.shows(titles, ['Plain']);
    });
  });

  it('asks for a key again when it is wrong', async () => {
    await driver.page.evaluate(`sessionStorage.setItem('gannet-key', 'wrong-key-of-the-page')`);
    await driver.page.evaluate('location.reload()');
    await driver.shows(() => driver.read('main .failure a'), ['invalid_api_key']);
    await driver.shows(() => driver.page.evaluate(`document.querySelector('.key').open`), true);
  });
});
