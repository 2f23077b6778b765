/**
 * Gives every property test the same random cases in every run, so that a red run means a change
 * and not luck. `PROPERTY_SEED=<integer>` draws other cases, `PROPERTY_SEED=random` new ones each
 * time.
 */
import fc from 'fast-check';

const DEFAULT_SEED = 20_261_121;
const asked = process.env['PROPERTY_SEED'] ?? String(DEFAULT_SEED);

fc.configureGlobal(asked === 'random' ? {} : { seed: Number(asked) });
