/** The export of the package `gannet`. */
import { programFolder } from './program.mjs';

const module = new URL('dist/src/runtime/create-server.js', programFolder());
export const { createServer } = await import(module);
