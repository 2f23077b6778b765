/** axe-core in a page of a test's browser: what it finds wrong for people who see or hear it differently. */
import axe from 'axe-core';
import type { Page } from '../../scripts/lib/browser.ts';

/** Rules that are broken, each with the elements that break it. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(`${axe.source};0`);
  return page.evaluate<string[]>(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`,
  );
}
