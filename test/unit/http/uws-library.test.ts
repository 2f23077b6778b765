/** The library that serves is the first of those that are installed which has a binary here. */
import { expect, it } from 'vitest';
import { loadUws } from '../../../src/http/uws-server.ts';

const module = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
const withoutBinary = module("throw new Error('no binary\\n\\nfor this version of Node');");

it('is the next one where the first has no binary or is not there', async () => {
  const library = await loadUws([
    'not-installed-at-all',
    withoutBinary,
    module('export const App = 7;'),
  ]);
  expect(library.App).toBe(7);
});

it('is none where all fail, with the reason of each in one line', async () => {
  const reason = /not-installed-at-all.* no binary for this version of Node$/;
  await expect(loadUws(['not-installed-at-all', withoutBinary])).rejects.toThrow(reason);
});
