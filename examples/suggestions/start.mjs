/** `npm run example:suggestions`: a search box that suggests what others have searched for. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { isStarted, ROOT, runExample } from '../lib/start-example.mjs';

const INDEX = 'films';

/** What users searched for, as if they had: query and number of users. */
const SEARCHES = [
  ['animated films', 3],
  ['love story', 9],
  ['love in paris', 6],
  ['seven samurai', 8],
  ['science fiction', 7],
  ['film noir', 5],
  ['lost shoe', 4],
];
const SEARCHES_MIN = 4;

/** Searches as users do, then fills the index of suggestions by the command `gannet suggest`. */
async function recordAndSuggest({ url, masterKey }) {
  const { runCommand } = await import('../../dist/src/cli/gannet.js');
  const authorization = `Bearer ${masterKey}`;
  for (const [q, users] of SEARCHES)
    for (let user = 1; user <= users; user++) {
      const query = new URLSearchParams({ q });
      const headers = { authorization, 'X-MS-USER-ID': `user ${user}` };
      await fetch(`${url}/indexes/${INDEX}/search?${query}`, { headers });
    }
  const args = ['suggest', INDEX, '--fields', 'title', '--category', 'genres'];
  const more = ['--min-searches', String(SEARCHES_MIN), '--url', url, '--key', masterKey];
  const silent = { write: (_chunk, done) => done?.() };
  const streams = { input: Readable.from([]), output: silent, errors: process.stderr };
  const code = await runCommand([...args, ...more], streams, {});
  if (code !== 0) throw new Error('gannet suggest failed');
}

export const suggestions = {
  folder: import.meta.dirname,
  index: INDEX,
  port: 3002,
  flags: ['--search-analytics'],
  documents: JSON.parse(readFileSync(join(ROOT, 'examples/films.json'), 'utf8')),
  settings: {
    searchableAttributes: ['title', 'director', 'genres', 'overview'],
    filterableAttributes: ['genres'],
  },
  prepare: recordAndSuggest,
  key: { actions: ['search', 'events.add'], indexes: [INDEX, `${INDEX}_suggestions`] },
};

if (isStarted(import.meta)) await runExample(suggestions);
