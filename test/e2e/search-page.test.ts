/** The search page over HTTP and in a browser. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeInBrowser, openPage, sharedBrowser } from '../support/in-browser.ts';
import type { PageDriver } from '../support/page-driver.ts';
import { MASTER_KEY, sharedServer } from '../support/shared-server.ts';
import { cleanUp, TestServer } from '../support/test-server.ts';

const PAGE_BYTES_MAX = 150_000;

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
  let driver: PageDriver;

  beforeAll(async () => {
    server = await TestServer.start({
      masterKey: MASTER_KEY,
      flags: ['--env', 'production', '--search-page'],
    });
    const wicked = server.client.index('wicked');
    await wicked.updateSettings({ filterableAttributes: ['tags'] }).waitTask();
    await wicked.addDocuments(hostileDocuments(1000), { primaryKey: 'id' }).waitTask();
    driver = await openPage(server);
  });

  it('shows hostile documents as text', async () => {
    const titles = () => driver.read('.hit h2 > [dir]');
    await driver.go('#/search/wicked?q=wicked');
    const isWicked = (title: string) => title.includes('wicked');
    await driver.shows(() => titles().then((all) => all.filter(isWicked).length), 20);
    for (const words of ['wicked', 'wicked img', 'script', 'javascript', 'exe', 'onload']) {
      await driver.fill('input[type=search]', words);
      await driver.shows(() => titles().then((all) => all.length), 20);
    }
    expect(await driver.page.evaluate('window.hit ?? null')).toBeNull();
    const elements = `document.querySelectorAll('main img, main svg, main script').length`;
    expect(await driver.page.evaluate(elements)).toBe(0);
  });

  it('sends requests only to its own server, and logs no errors', async () => {
    const asked = await driver.page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin)`,
    );
    expect([...new Set(asked)]).toEqual([server.url]);
    // The browser's console logs refused requests.
    const others = sharedBrowser().complaints.filter(
      (text) => !text.startsWith('Failed to load resource'),
    );
    expect(others).toEqual([]);
  });
});
