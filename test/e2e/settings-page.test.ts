/** Settings as forms, in a browser. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Meilisearch } from 'meilisearch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultsAt } from '../support/axe.ts';
import { describeInBrowser, openPage } from '../support/in-browser.ts';
import { type PageDriver, widthsOfSteps } from '../support/page-driver.ts';
import { freshUid, type SharedServer, sharedServer } from '../support/shared-server.ts';

const FILM = {
  id: 1,
  title: 'Carol',
  genres: ['Drama'],
  year: 2015,
  _vectors: { own: [1, 0, 0] },
};

describeInBrowser('settings in a browser', () => {
  const FILMS = freshUid('films');
  let server: SharedServer;
  let client: Meilisearch;
  let driver: PageDriver;
  let provider: Server;

  beforeAll(async () => {
    provider = createServer((request, response) => {
      request.resume().once('end', () => response.end('{"embedding":[1,0,0]}'));
    });
    await new Promise<void>((done) => provider.listen(0, '127.0.0.1', done));
    server = await sharedServer();
    client = server.client;
    await client.index(FILMS).addDocuments([FILM], { primaryKey: 'id' }).waitTask();
    driver = await openPage(server);
  });

  afterAll(async () => {
    provider?.close();
  });

  const entries = (name: string): Promise<string[]> =>
    driver.page.evaluate(
      `[...document.querySelectorAll('#${name} li')].map((e) => (e.querySelector('.item') ?? e).firstChild.textContent.trim())`,
    );
  const save = async (): Promise<void> => {
    await driver.click('.save-bar button', 'Review and save');
    await driver.click('dialog footer button', 'Save');
    await driver.shows(() => driver.read('dialog [role=status] a').then((all) => all.length), 1);
    expect(await driver.page.evaluate('document.activeElement.textContent')).toBe('Done');
    await driver.click('dialog footer button', 'Done');
    await driver.shows(() => driver.read('.save-bar'), []);
  };

  describe.each(widthsOfSteps('desktop'))('at a width of %i pixels', (width) => {
    beforeAll(async () => {
      await driver.resize(width);
      await client.index(FILMS).resetSettings().waitTask();
      await driver.go(`#/search/${FILMS}`);
      await driver.go(`#/settings/${FILMS}`);
      await driver.shows(() => driver.read('h1'), [`Settings of ${FILMS}`]);
    });

    it('shows a form for every setting', async () => {
      const names = Object.keys(await client.index(FILMS).getSettings());
      for (const name of names)
        await driver.shows(() => driver.read(`#${name} h3`).then((all) => all.length), 1);
    });

    it.each([
      ['year, title', ['year', 'title']],
      ['["year"]', ['year']],
      ['"year"', ['year']],
    ])('reads %j as field names', async (text, names) => {
      await driver.add('#sortableAttributes input', text);
      await driver.shows(() => entries('sortableAttributes'), names);
      await driver.click('.save-bar button', 'Discard');
      await driver.shows(() => entries('sortableAttributes'), []);
    });

    it('refuses what is no field name, and marks unknown fields', async () => {
      await driver.add('#sortableAttributes input', '["year"');
      await driver.shows(
        () => driver.read('#sortableAttributes .failure'),
        ['["year" is not a field name.'],
      );
      await driver.add('#sortableAttributes input', 'titel');
      await driver.shows(() => driver.read('#sortableAttributes .note'), ['not a field yet']);
      await driver.click('.save-bar button', 'Discard');
    });

    it('suggests fields of the index', async () => {
      const suggested = await driver.page.evaluate(
        `[...document.querySelectorAll('#sortableAttributes datalist option')].map((e) => e.value)`,
      );
      expect(suggested).toEqual(['genres', 'id', 'title', 'year']);
    });

    it('shows changes and their cost, then saves', async () => {
      await driver.add('#sortableAttributes input', 'year');
      await driver.click('.save-bar button', 'Review and save');
      await driver.shows(() => driver.read('.changes tbody tr'), ['sortableAttributes–year']);
      await driver.shows(
        () => driver.read('.cost li').then(([text = '']) => text.split(' of ')),
        ['the values for filters and sorting', expect.stringContaining('1 document')],
      );
      await driver.click('dialog footer button', 'Back');
      await save();
      expect(await client.index(FILMS).getSortableAttributes()).toEqual(['year']);
    });

    it('reorders ranking rules with arrow keys and buttons', async () => {
      await driver.press('#rankingRules li:nth-child(2) .handle', 'ArrowUp');
      await driver.shows(
        async () => (await entries('rankingRules')).slice(0, 2),
        ['typo', 'words'],
      );
      const focused = 'document.activeElement.ariaLabel';
      await driver.shows(
        () => driver.page.evaluate(focused),
        expect.stringContaining('Move typo, place 1 of 7'),
      );
      await driver.click('#rankingRules li:nth-child(1) [aria-label="Move typo down"]');
      await driver.shows(() => driver.read('.save-bar'), []);
    });

    it('reorders ranking rules by drag', async () => {
      await driver.page.evaluate(`(() => {
        const [first, , third] = document.querySelectorAll('#rankingRules li');
        const send = (target, type) =>
          target.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true }));
        window.dragStep = (step) => send(step === 'dragstart' ? first : third, step);
      })()`);
      for (const step of ['dragstart', 'dragover', 'drop']) {
        await driver.page.evaluate(`void window.dragStep('${step}')`);
        await driver.page.evaluate('new Promise((done) => requestAnimationFrame(done))');
      }
      await driver.shows(
        async () => (await entries('rankingRules')).slice(0, 3),
        ['typo', 'proximity', 'words'],
      );
      await driver.click('.save-bar button', 'Discard');
    });

    it('shows the error of an invalid value before it saves', async () => {
      await driver.add('#rankingRules input', 'beauty');
      await driver.shows(
        () => driver.read('#rankingRules .failure'),
        ['beauty is not a ranking rule; a field needs :asc or :desc.'],
      );
      await driver.fill('#typoTolerance .number input', '12');
      await driver.click('.save-bar button', 'Review and save');
      await driver.shows(
        () => driver.read('dialog .failure a'),
        ['invalid_settings_typo_tolerance'],
      );
      await driver.click('dialog footer button', 'Back');
      await driver.click('.save-bar button', 'Discard');
    });

    it('edits synonyms, stop words and switches', async () => {
      await driver.fill('#synonyms .new-synonyms input', 'film');
      await driver.fill('#synonyms .new-synonyms input.wide', 'movie, picture');
      await driver.click('#synonyms .new-synonyms button');
      await driver.add('#stopWords input', 'the, of');
      await driver.click('#facetSearch input');
      await save();
      expect(await client.index(FILMS).getSettings()).toMatchObject({
        synonyms: {
          film: ['movie', 'picture'],
          movie: ['film', 'picture'],
          picture: ['film', 'movie'],
        },
        stopWords: ['of', 'the'],
        facetSearch: false,
      });
    });

    it('keeps what was saved until the settings are read again', async () => {
      await driver.page.evaluate(`{
        const fetchNow = window.fetch;
        window.fetch = async (url, options) => {
          const isSettings = String(url).endsWith('/settings') && options?.method === 'GET';
          if (isSettings) await new Promise((done) => { window.readSettings = done; });
          return fetchNow(url, options);
        };
        window.undelay = () => { window.fetch = fetchNow; window.readSettings(); };
      }`);
      await driver.add('#nonSeparatorTokens input', '@');
      await driver.click('.save-bar button', 'Review and save');
      await driver.click('dialog footer button', 'Save');
      await driver.click('dialog footer button', 'Done');
      expect(await entries('nonSeparatorTokens')).toEqual(['@']);
      await driver.add('#nonSeparatorTokens input', '#');
      await driver.page.evaluate('window.undelay()');
      await driver.shows(
        () => driver.read('#nonSeparatorTokens header button'),
        [expect.stringContaining('Reset')],
      );
      expect(await entries('nonSeparatorTokens')).toEqual(['@', '#']);
      await driver.click('.save-bar button', 'Discard');
      await driver.shows(() => entries('nonSeparatorTokens'), ['@']);
    });

    it('adds and removes an embedder', async () => {
      await driver.fill('#embedders [aria-label="Name of the new embedder"]', 'own');
      await driver.fill('#embedders [aria-label="Source of the new embedder"]', 'userProvided');
      await driver.click('#embedders button', 'Add embedder');
      await driver.fill('#embedders .embedder input[type=number]', '3');
      await save();
      expect(await client.index(FILMS).getEmbedders()).toEqual({
        own: { source: 'userProvided', dimensions: 3 },
      });
      await driver.click('#embedders button', 'Remove own');
      await save();
      expect(await client.index(FILMS).getEmbedders()).toEqual({});
    });

    it('tests a stored embedder with a search', async () => {
      const { port } = provider.address() as AddressInfo;
      await driver.fill('#embedders [aria-label="Name of the new embedder"]', 'mine');
      await driver.fill('#embedders [aria-label="Source of the new embedder"]', 'rest');
      await driver.click('#embedders button', 'Add embedder');
      await driver.fill('#embedders .embedder input', `http://127.0.0.1:${port}/embed`);
      await driver.fill('#embedders .embedder textarea', '{"input": "{{text}}"}');
      await driver.fill(
        '#embedders .embedder label:nth-of-type(4) textarea',
        '{"embedding": "{{embedding}}"}',
      );
      await driver.shows(
        () => driver.read('#embedders .embedder p.about'),
        ['Save the embedder to test it with a search.'],
      );
      await save();
      await driver.click('#embedders button', 'Test mine');
      await driver.shows(
        () => driver.read('#embedders [role=status]'),
        [expect.stringContaining('The embedder answered: 1 document in')],
      );
      await driver.click('#embedders button', 'Remove mine');
      await save();
    });

    it('asks before a reset', async () => {
      await driver.click('#stopWords header button', 'Reset');
      await driver.shows(() => driver.read('dialog h2'), ['Reset stopWords?']);
      await driver.shows(
        () => driver.read('.changes tbody tr'),
        ['stopWordsofremoved', 'stopWordstheremoved'],
      );
      expect(await client.index(FILMS).getStopWords()).toEqual(['of', 'the']);
      await driver.click('dialog footer button', 'Save');
      await driver.shows(() => driver.read('dialog [role=status] a').then((all) => all.length), 1);
      await driver.click('dialog footer button', 'Done');
      expect(await client.index(FILMS).getStopWords()).toEqual([]);
    });

    it('is accessible in light and in dark colours, without overflow', async () => {
      await driver.click('#searchableAttributes label', 'Chosen fields');
      await driver.add('#sortableAttributes input', 'titel');
      expect(await driver.overflow()).toBe(0);
      expect(await faultsAt(driver.page, width)).toEqual([]);
      await driver.click('.save-bar button', 'Review and save');
      await driver.shows(() => driver.read('.cost').then((all) => all.length), 1);
      expect(await faultsAt(driver.page, width)).toEqual([]);
      await driver.click('dialog footer button', 'Back');
      await driver.click('.save-bar button', 'Discard');
    });
  });
});
