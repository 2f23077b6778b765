#!/usr/bin/env node
/** The program `gannet` as npm installs it. */
import { programFolder } from './program.mjs';

let folder;
try {
  folder = programFolder();
} catch (error) {
  process.stderr.write(`gannet: ${error.message}\n`);
  process.exit(1);
}
const { main } = await import(new URL('dist/processes/gannet.js', folder));
await main();
