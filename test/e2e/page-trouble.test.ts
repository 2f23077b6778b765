/** The page on a bad day: without a key, a slow server, a server that is gone, names of any kind. */
import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser, openPage } from '../support/in-browser.ts';
import type { PageDriver } from '../support/page-driver.ts';
import { freshUid, MASTER_KEY, type SharedServer, sharedServer } from '../support/shared-server.ts';

describeInBrowser('the page in trouble', () => {
  const NAMES = freshUid('names');
  const LONG = freshUid('l'.repeat(200));
  let server: SharedServer;
  let driver: PageDriver;

  beforeAll(async () => {
    server = await sharedServer();
    const names = server.client.index(NAMES);
    await names.updateSettings({ filterableAttributes: ['kind'] }).waitTask();
    await names
      .addDocuments([
        { id: 1, title: 'Trip to the moon', kind: 'film', link: 'javascript:window.hit=1' },
        { id: 2, title: 'رحلة إلى القمر', kind: 'film', ['f'.repeat(300)]: '<b>bold</b>' },
      ])
      .waitTask();
    await server.client
      .index(LONG)
      .addDocuments([{ id: 1, title: 'Long' }])
      .waitTask();
    driver = await openPage(server);
  });

  const titles = () => driver.read('.hit h2 > [dir]');
  const failures = () => driver.read('main .failure');
  const focused = () => driver.page.evaluate<string>('document.activeElement.textContent');
  /** Requests wait for `window.release()`. */
  const holdAnswers = () =>
    driver.page.evaluate(`void (() => {
      const { fetch } = window;
      const released = new Promise((done) => (window.release = done));
      window.fetch = (...request) => released.then(() => fetch(...request));
    })()`);
  const loseServer = () =>
    driver.page.evaluate(`void (() => {
      const { fetch } = window;
      window.fetch = () => Promise.reject(new TypeError('gone'));
      window.findServer = () => (window.fetch = fetch);
    })()`);

  it('says that it waits for a slow server', async () => {
    await driver.go(`#/search/${NAMES}`);
    await driver.shows(() => titles().then((all) => all.length), 2);
    await holdAnswers();
    await driver.fill('.search-box input', 'trip');
    await driver.shows(() => driver.read('.waiting'), ['Waiting for the server …']);
    await driver.page.evaluate('window.release()');
    await driver.shows(titles, ['Trip to the moon']);
    await driver.shows(() => driver.read('.waiting'), ['']);
  });

  it('says above the hits that the server is gone, and goes on when it is back', async () => {
    await loseServer();
    await driver.fill('.search-box input', 'moon');
    await driver.shows(failures, ['The server does not answer.']);
    const [failure = 0, hits = 0] = await driver.page.evaluate<number[]>(
      `['.failure', '.found'].map((e) => document.querySelector(e).getBoundingClientRect().top)`,
    );
    expect(failure).toBeLessThan(hits);
    await driver.page.evaluate('void window.findServer()');
    await driver.shows(failures, []);
  });

  it('follows the task of a write while the server restarts', async () => {
    await driver.go(`#/documents/${NAMES}`);
    await driver.click('.view-head button', 'Add document');
    await driver.fill('.json-editor', '{"id": 1, "title": "Trip to the moon", "kind": "film"}');
    await driver.page.evaluate(`void (() => {
      const { fetch } = window;
      window.fetch = (url, options) =>
        url.startsWith('tasks/') ? Promise.reject(new TypeError('gone')) : fetch(url, options);
      window.findServer = () => (window.fetch = fetch);
    })()`);
    await driver.click('dialog footer button', 'Add document');
    await driver.shows(() => driver.read('.waiting'), ['Waiting for the server …']);
    expect(await driver.read('dialog .failure')).toEqual([]);
    await driver.page.evaluate('void window.findServer()');
    await driver.shows(
      () => driver.read('main .write-note'),
      [expect.stringContaining('Save document 1: done')],
    );
    await driver.go(`#/search/${NAMES}`);
  });

  it('aligns right-to-left texts on the right, and renders no link of a document', async () => {
    await driver.resize(1280);
    await driver.fill('.search-box input', '');
    await driver.shows(() => titles().then((all) => all.length), 2);
    const aligned = await driver.page.evaluate<string[]>(
      `[...document.querySelectorAll('.hit h2 > [dir]')].map((e) => {
        const words = document.createRange();
        words.selectNodeContents(e);
        const { left, right } = e.getBoundingClientRect();
        const inner = words.getBoundingClientRect();
        return inner.left - left < right - inner.right ? 'left' : 'right';
      })`,
    );
    expect(aligned).toEqual(['left', 'right']);
    expect(await driver.read('.hit dd a, .hit b')).toEqual([]);
  });

  it.each(['search', 'documents', 'settings', 'indexes', 'tasks', 'rules', 'keys'])(
    '%s of an index with a long name are no wider than a phone, and named in the title',
    async (view) => {
      await driver.resize(360);
      await driver.go(`#/${view}/${LONG}`);
      await driver.shows(() => driver.read('main h1').then((all) => all.length), 1);
      expect(await driver.overflow()).toBe(0);
      const title = await driver.page.evaluate<string>('document.title');
      expect(title.toLowerCase()).toMatch(new RegExp(`^${view}.* – gannet$`));
      const isSeen = `(() => {
        const { left, right } = document.querySelector('nav [aria-current]').getBoundingClientRect();
        return left >= 0 && right <= innerWidth;
      })()`;
      expect(await driver.page.evaluate(isSeen)).toBe(true);
    },
  );

  it('says once that a key is missing, and shows the view when a key is entered', async () => {
    await driver.page.evaluate(`sessionStorage.removeItem('gannet-key'), location.reload()`);
    await driver.shows(() => driver.read('main .failure a'), ['missing_authorization_header']);
    await driver.shows(() => driver.page.evaluate('document.activeElement.type'), 'password');
    await driver.fill('.key input', MASTER_KEY);
    await driver.click('.key button');
    await driver.shows(() => driver.read('.keys li').then((all) => all.length > 0), true);
    await driver.shows(failures, []);
    expect(await focused()).toBe('API key');
  });
});
