/** Types of start.mjs, for the tests. */
import type { Example } from '../lib/start-example.mjs';

export const suggestions: Example;
