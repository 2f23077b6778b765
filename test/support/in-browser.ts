/** Tests in a browser: skipped without Chromium; they share how server, client and page are opened. */
import type { Meilisearch } from 'meilisearch';
import { afterAll, describe } from 'vitest';
import { Browser, findChromium, HOW_TO_GET_CHROMIUM } from '../../scripts/lib/browser.ts';
import { PageDriver } from './page-driver.ts';
import { cleanUp, clientOf, TestServer } from './test-server.ts';

const chromium = findChromium();
const browsers: Browser[] = [];

export const MASTER_KEY = 'a-master-key-of-browser-tests';

/** Flags of a server that may send requests to this machine. */
export const LOCAL_TARGETS = ['--experimental-allowed-ip-networks', '127.0.0.0/8'];

/** At the end of its tests, browsers are closed, servers killed and folders removed. */
export function describeInBrowser(title: string, tests: () => void): void {
  describe.skipIf(chromium === null)(`${title} (${HOW_TO_GET_CHROMIUM})`, () => {
    afterAll(async () => {
      await Promise.all(browsers.splice(0).map((browser) => browser.close()));
      await cleanUp();
    });
    tests();
  });
}

export function startBrowser(): Browser {
  const browser = new Browser(chromium ?? '');
  browsers.push(browser);
  return browser;
}

/** A server with a master key, and the client that has it. */
export async function startServer(
  ...flags: string[]
): Promise<{ readonly server: TestServer; readonly client: Meilisearch }> {
  const server = await TestServer.start({ flags: ['--master-key', MASTER_KEY, ...flags] });
  return { server, client: clientOf(server.url, MASTER_KEY) };
}

/** The page of the server in a browser of its own, with the master key. */
export const openPage = ({ url }: TestServer): Promise<PageDriver> =>
  PageDriver.open(startBrowser(), url, MASTER_KEY);
