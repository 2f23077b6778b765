/**
 * Suites over an HTTP adapter; where its library has no binary for this Node version they are
 * skipped and say so.
 */
import { describe } from 'vitest';
import type { AdapterName } from '../../src/http/server.ts';
import { loadUws } from '../../src/http/uws-server.ts';

export const httpAdapters: readonly AdapterName[] = ['uws', 'node'];

const whyWithoutUws = await loadUws().then(
  () => null,
  () =>
    `skipped: uWebSockets.js has no binary for Node ${process.versions.node} on ${process.platform} ${process.arch}`,
);

/** The adapter of servers on this Node version. */
export const usedAdapter: AdapterName = whyWithoutUws === null ? 'uws' : 'node';

export function describeOver(adapter: AdapterName, name: string, suite: () => void): void {
  if (adapter === 'uws' && whyWithoutUws !== null)
    describe.skip(`${name} (${whyWithoutUws})`, suite);
  else describe(name, suite);
}
