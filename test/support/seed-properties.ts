/**
 * Gives every property test the same random cases in every run, so that a red run means a change
 * and not luck. `PROPERTY_SEED=<integer>` draws other cases, `PROPERTY_SEED=random` new ones each
 * time. A property that names no number of cases has 30 in `npm test` and 300 in `npm run test:long`.
 */
import fc from 'fast-check';
import { amount } from './run-length.ts';

const DEFAULT_SEED = 20_261_121;
const asked = process.env['PROPERTY_SEED'] ?? String(DEFAULT_SEED);

fc.configureGlobal({
  numRuns: amount(30, 300),
  ...(asked === 'random' ? {} : { seed: Number(asked) }),
});
