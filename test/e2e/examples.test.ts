/** The examples, started as documented and used in a browser. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { docsSearch } from '../../examples/docs-search/start.mjs';
import { type StartedExample, startExample } from '../../examples/lib/start-example.mjs';
import { shop } from '../../examples/shop/start.mjs';
import { suggestions } from '../../examples/suggestions/start.mjs';
import type { Browser, Page } from '../../scripts/lib/browser.ts';
import { faultsInBothSchemes } from '../support/axe.ts';
import { describeInBrowser, sharedBrowser } from '../support/in-browser.ts';
import { PageDriver } from '../support/page-driver.ts';

/** One thread is enough for these documents. */
const FLAGS = ['--query-threads', '1'];

describeInBrowser('examples', () => {
  let browser: Browser;
  let example: StartedExample;
  let page: Page;

  beforeAll(() => {
    browser = sharedBrowser();
  });

  const read = (selector: string): Promise<string[]> =>
    page.evaluate(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((e) => e.textContent.trim())`,
    );
  const shows = (selector: string, expected: unknown): Promise<void> =>
    expect.poll(() => read(selector)).toEqual(expected);
  const click = (selector: string, text: string): Promise<void> =>
    new PageDriver(page).click(selector, text);
  const type = async (selector: string, text: string): Promise<void> => {
    await page.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`);
    await page.type(text);
  };
  const isForEverybody = async (): Promise<void> => {
    expect(await faultsInBothSchemes(page)).toEqual([]);
    const asked = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin)`,
    );
    expect([example.url, example.serverUrl]).toEqual(expect.arrayContaining([...new Set(asked)]));
    expect(browser.complaints).toEqual([]);
  };

  describe('the shop', () => {
    beforeAll(async () => {
      example = await startExample({ ...shop, port: 0, flags: FLAGS });
      page = await browser.open(example.url);
    });
    afterAll(() => example?.stop());

    it('is public, and requests nothing from other hosts', async () => {
      await shows('#stats .ais-Stats-text', ['288 products']);
      await isForEverybody();
    });

    it('finds while one types, and marks what was met', async () => {
      await type('.ais-SearchBox-input', 'repairable tepot red');
      await shows('#stats .ais-Stats-text', ['1 product']);
      await shows('.product h2', ['Repairable teapot in red']);
      await shows('.product mark', ['Repairable', 'teapot', 'red']);
      await page.evaluate(`document.querySelector('.ais-SearchBox-reset').click()`);
      await shows('#stats .ais-Stats-text', ['288 products']);
    });

    it('narrows by facets that widen each other, and by price', async () => {
      await click('#category label', 'Bags');
      await shows('#stats .ais-Stats-text', ['72 products']);
      await click('#category label', 'Home');
      await shows('#stats .ais-Stats-text', ['144 products']);
      await type('.ais-RangeInput-input--max', '40');
      await page.evaluate(`document.querySelector('.ais-RangeInput-submit').click()`);
      const cheap = shop.documents.filter((product) => {
        const { category, price } = product as { category: string; price: number };
        return ['Bags', 'Home'].includes(category) && price <= 40;
      });
      await shows('#stats .ais-Stats-text', [`${cheap.length} products`]);
      await click('#clear button', 'All products');
      await shows('#stats .ais-Stats-text', ['288 products']);
    });

    it('orders by price', async () => {
      await page.evaluate(`(() => {
        const order = document.querySelector('.ais-SortBy-select');
        order.value = 'products:price:asc';
        order.dispatchEvent(new Event('change', { bubbles: true }));
      })()`);
      const least = Math.min(...shop.documents.map((each) => (each as { price: number }).price));
      await expect
        .poll(() => read('.product .price').then(([first]) => first))
        .toBe(`€${least.toFixed(2)}`);
    });
  });

  describe('the search of documentation', () => {
    beforeAll(async () => {
      example = await startExample({ ...docsSearch, port: 0, flags: FLAGS });
      page = await browser.open(`${example.url}/?q=backup`);
    });
    afterAll(() => example?.stop());

    it('is public, and requests nothing from other hosts', async () => {
      await expect.poll(() => read('#found a').then((all) => all.length)).toBe(12);
      await isForEverybody();
    });

    it('finds a section by a question, whose address the server has', async () => {
      await page.evaluate(`document.querySelector('#words').value = ''`);
      await type('#words', 'how do I rotate a key');
      await expect.poll(() => read('#found strong')).toContain('Changing keys without an outage');
      const address = await page.evaluate<string>(`document.querySelector('#found a').href`);
      const answer = await fetch(address);
      expect([answer.status, await answer.text()]).toEqual([
        200,
        expect.stringContaining(`id="${new URL(address).hash.slice(1)}"`),
      ]);
    });

    it('is moved through by arrow keys', async () => {
      const press = (key: string): Promise<void> =>
        page.evaluate(
          `void document.dispatchEvent(new KeyboardEvent('keydown', { key: ${JSON.stringify(key)} }))`,
        );
      const focused = (): Promise<string> => page.evaluate(`document.activeElement.tagName`);
      await press('ArrowDown');
      expect(await focused()).toBe('A');
      await press('ArrowUp');
      expect(await focused()).toBe('INPUT');
    });
  });

  describe('the search with suggestions', () => {
    const press = (key: string): Promise<void> =>
      page.evaluate(
        `void document.querySelector('#words').dispatchEvent(new KeyboardEvent('keydown', { key: ${JSON.stringify(key)} }))`,
      );
    beforeAll(async () => {
      example = await startExample({
        ...suggestions,
        port: 0,
        flags: [...(suggestions.flags ?? []), ...FLAGS],
      });
      page = await browser.open(example.url);
    });
    afterAll(() => example?.stop());

    it('suggests what many searched for before titles', async () => {
      await shows('#count', ['48 films']);
      await type('#words', 'lo');
      await expect
        .poll(() => read('#suggestions > div').then((all) => all.slice(0, 2)))
        .toEqual([expect.stringMatching(/^love story/), expect.stringMatching(/^love in paris/)]);
      await isForEverybody();
    });

    it('takes a suggestion by the keyboard, and sends the click on its film', async () => {
      await page.evaluate(`document.querySelector('#words').value = ''`);
      await type('#words', 'seven');
      const first = () => read('#suggestions > div').then(([text = '']) => text);
      await expect.poll(first).toMatch(/^Seven Samurai/);
      await press('ArrowDown');
      await shows('#suggestions > [aria-selected="true"]', [await first()]);
      await press('Enter');
      await expect
        .poll(() => page.evaluate(`document.querySelector('#words').value`))
        .toBe('Seven Samurai');
      await expect
        .poll(() => page.evaluate(`document.querySelector('#suggestions').hidden`))
        .toBe(true);
      await expect.poll(() => read('#found strong').then(([title]) => title)).toBe('Seven Samurai');
      await click('#found button', 'Seven Samurai');
      await shows('#count', ['Seven Samurai was chosen']);
      expect(browser.complaints).toEqual([]);
    });
  });
});
