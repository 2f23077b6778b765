/** axe-core in a page of a test's browser: what it finds wrong for people who see or hear it differently. */
import axe from 'axe-core';
import type { Page } from '../../scripts/lib/browser.ts';
import { WIDTHS } from './page-driver.ts';

/** Rules about colours; the others find the same in each scheme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Rules that are broken, each with the elements that break it. @param rules default: all */
export async function accessibilityFaults(
  page: Page,
  rules?: readonly string[],
): Promise<readonly string[]> {
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(`${axe.source};0`);
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  return page.evaluate<string[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`,
  );
}

/**
 * The faults of the page at one of `WIDTHS`, in light colours on a desktop, in dark ones on a phone:
 * no colour depends on the width, and the rules about colours take most of the time.
 */
export async function faultsAt(page: Page, width: number): Promise<readonly string[]> {
  await page.prefer(width === WIDTHS[0] ? 'light' : 'dark');
  return accessibilityFaults(page);
}

/** The faults of the page in light and in dark colours; the page then has dark ones. */
export async function faultsInBothSchemes(page: Page): Promise<readonly string[]> {
  await page.prefer('light');
  const faults = await accessibilityFaults(page);
  await page.prefer('dark');
  const dark = await accessibilityFaults(page, COLOUR_RULES);
  return [...faults, ...dark.map((fault) => `dark: ${fault}`)];
}
