/**
 * How much of the long tests a run does: `npm test` a small part, `npm run test:long` everything
 * (it sets LONG_TESTS=1).
 */
export const isLongRun = process.env['LONG_TESTS'] === '1';

/** A number of kills, cases or seconds. */
export const amount = (inNpmTest: number, inLongRun: number): number =>
  isLongRun ? inLongRun : inNpmTest;
