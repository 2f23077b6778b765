/** The view of search analytics, in a browser. */
import { beforeAll, describe, expect, it } from 'vitest';
import { faultsAt } from '../support/axe.ts';
import { describeInBrowser, openPage } from '../support/in-browser.ts';
import { type PageDriver, widthsOfSteps } from '../support/page-driver.ts';
import { MASTER_KEY } from '../support/shared-server.ts';
import { TestServer } from '../support/test-server.ts';

/** Longer than a choice shows. */
const FILTER = `year > 1960 AND ${'year != 2001 AND '.repeat(4)}year < 3000`;

describeInBrowser('analytics in a browser', () => {
  let server: TestServer;
  let driver: PageDriver;

  const post = async (path: string, body: object, user = '') => {
    const headers = {
      authorization: `Bearer ${MASTER_KEY}`,
      'content-type': 'application/json',
      'x-ms-user-id': user,
      'meili-include-metadata': 'true',
    };
    const answer = await fetch(server.url + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(answer.ok).toBe(true);
    return (await answer.json()) as { readonly metadata: { readonly queryUid: string } };
  };
  const search = (q: string, user: string, index = 'films', filter: string | null = null) =>
    post(`/indexes/${index}/search`, { q, filter }, user);

  beforeAll(async () => {
    server = await TestServer.start({ masterKey: MASTER_KEY, flags: ['--search-analytics'] });
    const { client } = server;
    const films = client.index('films');
    await films.addDocuments([{ id: 1, title: 'Carol' }], { primaryKey: 'id' }).waitTask();
    await client.createIndex('unsearched').waitTask();
    const books = client.index('books');
    await books.addDocuments([{ id: 1, title: 'Carol', year: 1952 }]).waitTask();
    await books.updateFilterableAttributes(['year']).waitTask();
    await search('carol', 'ann', 'books');
    await search('carol', 'bob', 'books', FILTER);
    const event = { eventType: 'click', eventName: 'Clicked', indexUid: 'films', userId: 'ann' };
    const { metadata } = await search('carol', 'ann');
    await post('/events', { ...event, queryUid: metadata.queryUid, position: 1 });
    await search('Carol', 'bob');
    await search('unknown film', 'bob');
    driver = await openPage(server);
  });

  describe.each(widthsOfSteps('desktop'))('at a width of %i pixels', (width) => {
    beforeAll(async () => {
      await driver.resize(width);
      await driver.go('#/analytics/films');
      await driver.shows(
        () => driver.read('.analytics h2'),
        [
          ...['Top queries', 'Queries without results', 'Queries without clicks'],
          ...['Indexes', 'Filters'],
        ],
      );
    });

    it('shows figures, a bar for each day, and lists of queries', async () => {
      await driver.shows(() => driver.read('.summary dd'), ['3', '33.3 %', '33.3 %', '2.0']);
      const rows = (title: string) =>
        driver.read(`table[aria-label="${title}"] tbody tr > :is(th, td:nth-child(2))`);
      await driver.shows(() => rows('Top queries'), ['carol', '2', 'unknown film', '1']);
      await driver.shows(() => rows('Queries without results'), ['unknown film', '1']);
      await driver.shows(() => rows('Queries without clicks'), ['unknown film', '1']);
      const titles = await driver.read('.bar-plot:first-child title');
      expect(titles).toHaveLength(30);
      // The day may end while the test runs.
      const [today, ...others] = titles.reverse().map((text) => text.split(': ')[1]);
      expect([today, others[0]]).toContain('3, 1 without results');
      const clicks = await driver.read('.bar-plot:last-child title');
      expect(clicks.filter((text) => text.endsWith(': 33.3 %'))).toHaveLength(1);
      const heights = `[...document.querySelectorAll('.bar-plot:first-child .bar')]
        .filter((bar) => Math.round(bar.getBoundingClientRect().height) > 100).length`;
      expect(await driver.page.evaluate(heights)).toBe(1);
    });

    it('has another period, and says that an index has no searches', async () => {
      await driver.fill('.analytics select', '7');
      await driver.shows(async () => (await driver.read('.bar-plot:first-child title')).length, 7);
      await driver.go('#/analytics/unsearched');
      await driver.shows(() => driver.read('.summary dd'), ['0', '–', '–', '–']);
      await driver.shows(
        () => driver.read('.analytics p.about:not(.ends)'),
        ['None.', 'None.', 'None.', 'None.'],
      );
      await driver.go('#/analytics/films');
      await driver.shows(
        () => driver.read('.summary dd:first-of-type').then(([first]) => first),
        '3',
      );
    });

    it('shows figures by index and by filter, of one index and filter or of all', async () => {
      const rows = (title: string) =>
        driver.read(`table[aria-label="${title}"] tbody tr > :is(th, td:nth-child(2))`);
      const searches = () => driver.read('.summary dd').then(([first]) => first);
      const choice = (at: number) => `.analytics .options label:nth-of-type(${at}) select`;
      await driver.go('#/analytics/books');
      await driver.shows(() => rows('Filters'), ['none', '1', FILTER, '1']);
      await driver.shows(() => rows('Indexes'), ['films', '3', 'books', '2']);
      await driver.fill(choice(3), `=${FILTER}`);
      await driver.shows(searches, '1');
      await driver.shows(() => rows('Queries without results'), ['carol', '1']);
      await driver.shows(() => rows('Indexes'), ['books', '1']);
      await driver.fill(choice(3), '=');
      await driver.shows(searches, '1');
      await driver.fill(choice(2), 'all');
      await driver.shows(searches, '4');
      await driver.shows(() => rows('Filters'), ['none', '4', FILTER, '1']);
      await driver.fill(choice(3), '');
      await driver.shows(searches, '5');
      await driver.go('#/analytics/films');
      await driver.shows(searches, '3');
    });

    it('is accessible, without overflow', async () => {
      await driver.go('#/analytics/books');
      await driver.shows(
        async () => (await driver.read('table[aria-label="Filters"] th')).includes(FILTER),
        true,
      );
      expect(await driver.overflow()).toBe(0);
      expect(await faultsAt(driver.page, width)).toEqual([]);
    });
  });
});
