/** The table of docs/settings.md: defaults, examples that the server takes, and what a change costs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/model/settings.ts';
import { sendJson } from '../support/http-request.ts';
import { tableUnder } from '../support/markdown.ts';
import { freshUid, type SharedServer, sharedServer } from '../support/shared-server.ts';

const valueIn = (cell: string): unknown => JSON.parse(cell.replace(/^`|`$/g, ''));
const settings = tableUnder('docs/settings.md', '## All of them').map(
  ([name = '', before = '', example = '', cost = '']) => ({
    name: name.replaceAll('`', '') as keyof typeof DEFAULT_SETTINGS,
    before: valueIn(before),
    example: valueIn(example),
    cost,
  }),
);
/** Words of the table for what the preview of a change names. */
const COSTS: Readonly<Record<string, string>> = {
  documents: 'words',
  columns: 'values',
  vectors: 'vectors',
};
/** In a sentence, with a link to what it is for. */
const TOLD_ELSEWHERE = ['chat'];

describe('docs/settings.md', () => {
  const FILMS = freshUid('films');
  let server: SharedServer;

  beforeAll(async () => {
    server = await sharedServer();
    const { client } = server;
    await client.updateExperimentalFeatures({ foreignKeys: true });
    const film = { id: 1, title: 'Carol', director: 'Todd Haynes', year: 2015, genres: ['Drama'] };
    await client.index(FILMS).addDocuments([film]).waitTask();
  });

  afterAll(() => server.client.updateExperimentalFeatures({ foreignKeys: false }));

  it('has every setting', () => {
    const names = Object.keys(DEFAULT_SETTINGS).filter((name) => !TOLD_ELSEWHERE.includes(name));
    expect(settings.map(({ name }) => name).sort()).toEqual(names.sort());
  });

  it.each(settings)('says what $name is by default', ({ name, before }) => {
    expect(before).toEqual(DEFAULT_SETTINGS[name]);
  });

  it.each(settings)('says what a change of $name costs', async ({ name, example, cost }) => {
    const { status, json } = await server.call(
      'POST',
      `/indexes/${FILMS}/settings/preview`,
      sendJson({ settings: { [name]: example } }),
    );
    expect([status, json]).toEqual([200, expect.anything()]);
    const { rebuilds, embeds } = json as {
      readonly rebuilds: readonly { readonly component: string }[];
      readonly embeds: readonly string[];
    };
    const kinds = new Set(rebuilds.map(({ component }) => COSTS[component]));
    if (embeds.length > 0) kinds.add('vectors');
    expect([...kinds].join(', ') || 'nothing').toBe(cost);
  });
});
