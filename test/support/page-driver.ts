/** Steps of a user on the search page, for browser tests. */
import { expect, vi } from 'vitest';
import type { Browser, Page } from '../../scripts/lib/browser.ts';
import { isLongRun } from './run-length.ts';
import { PATIENCE_MS } from './until.ts';

/** Widths of a desktop and of a phone. */
export const WIDTHS = [1280, 390] as const;

/**
 * Widths at which a file takes the steps of a user: both in `npm run test:long`, one in `npm test`.
 * `test/e2e/pages.test.ts` looks at the pages at both.
 */
export const widthsOfSteps = (inNpmTest: 'desktop' | 'phone'): readonly number[] =>
  isLongRun ? WIDTHS : [WIDTHS[inNpmTest === 'desktop' ? 0 : 1]];
const HEIGHT = 900;
const PATIENCE = { timeout: PATIENCE_MS, interval: 50 };

export class PageDriver {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** A new page with an API key, which its first document finds in the storage. */
  static async open(browser: Browser, url: string, key: string): Promise<PageDriver> {
    const source = `if (sessionStorage.getItem('is-open') === null) {
      sessionStorage.setItem('is-open', 'true');
      sessionStorage.setItem('gannet-key', ${JSON.stringify(key)});
    }`;
    const driver = new PageDriver(await browser.open(`${url}/#/search`, source));
    await driver.shows(() => driver.read('.head .name'), ['Gannet']);
    await driver.shows(() => driver.read('main .failure'), []);
    return driver;
  }

  /** Loads the open page again, with another API key. */
  async signIn(url: string, key: string): Promise<void> {
    await this.shows(() => this.read('.head .name'), ['Gannet']);
    await this.page.evaluate(`sessionStorage.setItem('gannet-key', ${JSON.stringify(key)})`);
    await this.page.evaluate(`void (location.href = ${JSON.stringify(`${url}/#/search`)})`);
    await this.page.evaluate('void (window.isBefore = true), location.reload()');
    const isLoaded = `window.isBefore !== true && document.querySelector('.head .name') !== null`;
    await this.shows(() => this.page.evaluate(isLoaded), true);
    await this.shows(() => this.read('main .failure'), []);
  }

  /** Texts of the elements. */
  read(selector: string): Promise<string[]> {
    return this.page.evaluate(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((e) => e.textContent.trim())`,
    );
  }

  value(selector: string): Promise<string> {
    return this.page.evaluate(`document.querySelector(${JSON.stringify(selector)}).value`);
  }

  /** Clicks the first element that contains the text, as soon as it is there. */
  async click(selector: string, text = ''): Promise<void> {
    const found = `[...document.querySelectorAll(${JSON.stringify(selector)})]
      .find((e) => e.textContent.includes(${JSON.stringify(text)}) && !e.disabled)`;
    await this.shows(() => this.page.evaluate(`Boolean(${found})`), true);
    await this.page.evaluate(`${found}.click()`);
  }

  /** Sets the value like typing does. */
  async fill(selector: string, text: string): Promise<void> {
    await this.shows(async () => (await this.read(selector)).length > 0, true);
    await this.page.evaluate(`(() => {
      const e = document.querySelector(${JSON.stringify(selector)});
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(e), 'value').set.call(e, ${JSON.stringify(text)});
      e.dispatchEvent(new Event(e.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true }));
    })()`);
  }

  async press(selector: string, key: string): Promise<void> {
    await this.page.evaluate(`document.querySelector(${JSON.stringify(selector)})
      .dispatchEvent(new KeyboardEvent('keydown', { key: ${JSON.stringify(key)}, bubbles: true, cancelable: true }))`);
  }

  /** Types into a field of a list and adds it with Enter. */
  async add(selector: string, text: string): Promise<void> {
    await this.fill(selector, text);
    await this.page.evaluate('new Promise((done) => requestAnimationFrame(done))');
    await this.press(selector, 'Enter');
  }

  /** Resolves after the page has handled the change of its URL. */
  async go(fragment: string): Promise<void> {
    await this.page.evaluate(`new Promise((done) => {
      const fragment = ${JSON.stringify(fragment)};
      if (location.hash === fragment) return done();
      addEventListener('hashchange', () => requestAnimationFrame(done), { once: true });
      location.hash = fragment;
    })`);
  }

  /** Unlike `expect.poll`, works in hooks too. */
  async shows(what: () => Promise<unknown>, expected: unknown): Promise<void> {
    await vi.waitFor(async () => expect(await what()).toEqual(expected), PATIENCE);
  }

  async resize(width: number): Promise<void> {
    await this.page.resize(width, HEIGHT);
  }

  /** Pixels by which the page is wider than the window. */
  overflow(): Promise<number> {
    return this.page.evaluate(
      'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)',
    );
  }
}
