/** Tests in a browser: skipped without Chromium; they share how server, client and page are opened. */
import { afterAll, describe } from 'vitest';
import { Browser, findChromium, HOW_TO_GET_CHROMIUM } from '../../scripts/lib/browser.ts';
import { PageDriver } from './page-driver.ts';
import { MASTER_KEY, type SharedServer } from './shared-server.ts';
import { cleanUp } from './test-server.ts';

const chromium = findChromium();
let browser: Browser | null = null;

/** At the end of its tests, pages are closed, servers killed and folders removed. */
export function describeInBrowser(title: string, tests: () => void): void {
  describe.skipIf(chromium === null)(`${title} (${HOW_TO_GET_CHROMIUM})`, () => {
    afterAll(async () => {
      await browser?.clear();
      await cleanUp();
    });
    tests();
  });
}

/**
 * The browser of this process. The files of a worker share it, because its start takes a second of
 * processor time; it ends with the worker, and its profile with the folder of the run.
 */
export function sharedBrowser(): Browser {
  if (browser === null) {
    const started = new Browser(chromium ?? '');
    process.once('exit', () => started.kill());
    browser = started;
  }
  return browser;
}

/** The page of the server, with the master key. */
export const openPage = ({ url }: Pick<SharedServer, 'url'>): Promise<PageDriver> =>
  PageDriver.open(sharedBrowser(), url, MASTER_KEY);
