#!/usr/bin/env node
/** The program `gannet`: in a checkout compiles changed sources first, then runs the command. */
import { existsSync } from 'node:fs';

if (existsSync(new URL('../src/cli/gannet.ts', import.meta.url))) {
  const { ensureBuilt, ensureInstalled } = await import('./lib/fresh.mjs');
  ensureInstalled();
  await ensureBuilt();
}
const { main } = await import('../dist/processes/gannet.js');
await main();
