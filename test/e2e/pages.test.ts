/**
 * The pages that the server hands out, as a browser sees them: painted without anybody else's help,
 * in both schemes of colours, for people who use a keyboard or hear it.
 */
import { beforeAll, expect, it } from 'vitest';
import type { Browser, Page } from '../../scripts/lib/browser.ts';
import { faultsInBothSchemes } from '../support/axe.ts';
import { describeInBrowser, sharedBrowser } from '../support/in-browser.ts';
import { emptiedServer, MASTER_KEY, type SharedServer } from '../support/shared-server.ts';

/** The views of the search page are examined where they are tested. */
const PAGES = ['/', '/docs', '/docs/backups', '/docs/comparison'];
/** Widths of a desktop and of a phone, in CSS pixels. */
const WIDTHS = [1280, 390];

describeInBrowser('in a browser', () => {
  let server: SharedServer;
  let browser: Browser;

  beforeAll(async () => {
    server = await emptiedServer();
    const films = server.client.index('films');
    await films.updateSettings({ filterableAttributes: ['genres'] }).waitTask();
    await films
      .addDocuments([
        { id: 1, title: 'Carol', genres: ['Romance', 'Drama'] },
        { id: 2, title: 'Moonlight', genres: ['Drama'] },
      ])
      .waitTask();
    browser = sharedBrowser();
  });

  const open = async (path: string): Promise<Page> => {
    const signIn = `sessionStorage.setItem('gannet-key', ${JSON.stringify(MASTER_KEY)})`;
    const page = await browser.open(server.url + path, signIn);
    await expect.poll(() => page.evaluate(`document.querySelector('main h1') !== null`)).toBe(true);
    await page.firstPaintMs();
    return page;
  };

  const askedBy = (page: Page): Promise<string[]> =>
    page.evaluate(
      `performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin)`,
    );

  it.each(PAGES)('%s is for everybody, light and dark, and asks its server alone', async (path) => {
    const page = await open(path);
    expect(await faultsInBothSchemes(page)).toEqual([]);
    for (const width of WIDTHS) {
      await page.resize(width, 900);
      const { scrollWidth } = await page.evaluate<{ scrollWidth: number }>(
        '({ scrollWidth: document.documentElement.scrollWidth })',
      );
      expect(scrollWidth, `at ${width} pixels`).toBeLessThanOrEqual(width);
    }
    expect(new Set(await askedBy(page))).toEqual(new Set([server.url]));
    await page.close();
  });

  it('the documentation finds an error by its code, and goes there', async () => {
    const page = await open('/docs/backups');
    await expect.poll(() => page.evaluate(`document.querySelector('search').hidden`)).toBe(false);
    await page.evaluate(`document.querySelector('search input').focus()`);
    await page.type('invalid_search_filter');
    const typed = `document.querySelector('search input').value`;
    await expect.poll(() => page.evaluate(typed)).toBe('invalid_search_filter');
    const first = `document.querySelector('#found a')`;
    await expect
      .poll(() => page.evaluate(`${first}?.textContent`))
      .toContain('invalid_search_filter');
    await page.evaluate(`${first}.click()`);
    await expect
      .poll(() => page.evaluate(`location.pathname + location.hash`))
      .toBe('/docs/errors#invalid_search_filter');
    await expect
      .poll(() => page.evaluate(`document.querySelector(':target')?.closest('tr').textContent`))
      .toContain('invalid_search_filter');
    await page.close();
  });

  it('the list of found sections closes when the focus goes on', async () => {
    const page = await open('/docs/backups');
    await expect.poll(() => page.evaluate(`document.querySelector('search').hidden`)).toBe(false);
    await page.evaluate(`document.querySelector('search input').focus()`);
    await page.type('snapshot');
    const isOpen = `!document.querySelector('#found').hidden`;
    await expect.poll(() => page.evaluate(isOpen)).toBe(true);
    await page.evaluate(`document.querySelector('main a').focus()`);
    expect(await page.evaluate(isOpen)).toBe(false);
    await page.close();
  });

  it('complains of nothing', () => {
    expect(browser.complaints).toEqual([]);
  });
});
