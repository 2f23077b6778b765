/** Tasks, API keys and backups of the page, in a browser. */
import type { Meilisearch } from 'meilisearch';
import { beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults, faultsAt } from '../support/axe.ts';
import { describeInBrowser, openPage } from '../support/in-browser.ts';
import { type PageDriver, widthsOfSteps } from '../support/page-driver.ts';
import { emptiedServer, MASTER_KEY, type SharedServer } from '../support/shared-server.ts';
import { clientOf } from '../support/test-server.ts';

/** Files that the page saves, as name and size. */
const WATCH_SAVED_FILES = `void (() => {
  window.saved = [];
  let size = 0;
  const create = URL.createObjectURL;
  URL.createObjectURL = (blob) => {
    size = blob.size;
    return create.call(URL, blob);
  };
  HTMLAnchorElement.prototype.click = function () {
    saved.push([this.download, size]);
  };
})()`;

describeInBrowser('managing in a browser', () => {
  let server: SharedServer;
  let client: Meilisearch;
  let driver: PageDriver;

  beforeAll(async () => {
    server = await emptiedServer();
    client = server.client;
    const films = client.index('films');
    await films.updateFilterableAttributes(['tenant']).waitTask();
    await films
      .addDocuments(
        [
          { id: 1, title: 'Carol', tenant: 7 },
          { id: 2, title: 'Carol too', tenant: 8 },
        ],
        { primaryKey: 'id' },
      )
      .waitTask();
    driver = await openPage(server);
  });

  describe.each(widthsOfSteps('desktop'))('at a width of %i pixels', (width) => {
    beforeAll(async () => {
      await driver.resize(width);
      await driver.go('#/search');
    });

    it('shows why a task failed, and repeats it', async () => {
      await client.tasks.deleteTasks({ statuses: ['failed'] }).waitTask();
      await client
        .index('films')
        .deleteDocuments({ filter: `year${width} = 1` })
        .waitTask();
      await driver.go('#/tasks');
      await driver.fill('.tasks .options label:nth-child(1) select', 'failed');
      await driver.shows(() => driver.read('tbody tr .failure a'), ['invalid_document_filter']);
      await client
        .index('films')
        .updateFilterableAttributes(['tenant', `year${width}`])
        .waitTask();
      await driver.click('tbody button', 'Retry');
      await driver.fill('.tasks .options label:nth-child(1) select', '');
      await driver.fill('.tasks .options label:nth-child(2) select', 'documentDeletion');
      await driver.shows(
        () => driver.read('tbody .status').then((all) => all.slice(0, 2)),
        ['succeeded', 'failed'],
      );
    });

    it('creates an API key from choices', async () => {
      await driver.go('#/keys');
      const name = `shop ${width}`;
      await driver.fill('.new-key input', name);
      await driver.add('.new-key .add-names input', 'films');
      await driver.fill('.new-key .options label:nth-child(3) select', '7');
      await driver.click('.new-key [type=submit]');
      await driver.shows(
        () => driver.read('.new-key [role=status] p'),
        ['✓ The API key is created.'],
      );
      const made = (await client.getKeys()).results.find((key) => key.name === name);
      expect(made).toMatchObject({
        actions: ['search'],
        indexes: ['films'],
        key: await driver.value('.new-key .copy-text textarea'),
      });
      const days = (Date.parse(String(made?.expiresAt)) - Date.now()) / 86_400_000;
      expect(Math.round(days)).toBe(7);
    });

    it('signs a tenant token that searches what the filter leaves', async () => {
      await driver.go('#/keys');
      await driver.click('.keys > ul > li:first-child .tenant-token summary');
      await driver.fill('.tenant-token[open] input', 'tenant = 7');
      await driver.click('.tenant-token[open] button', 'Sign token');
      await driver.shows(
        () => driver.read('.tenant-token .copy-text').then((all) => all.length),
        1,
      );
      const token = await driver.value('.tenant-token .copy-text textarea');
      const { hits } = await clientOf(server.url, token).index('films').search('carol');
      expect(hits.map(({ id }) => id)).toEqual([1]);
    });

    it('creates snapshots and dumps, and downloads their files', async () => {
      await driver.go('#/backups');
      await driver.click('.kinds button', 'Create dump');
      await driver.shows(
        () => driver.read('.files li:first-child code').then(([file = '']) => file),
        expect.stringMatching(/^\d{8}-\d{9}\.dump$/),
      );
      const [dump = ''] = await driver.read('.files li:first-child code');
      await driver.click('.kinds button', 'Create snapshot');
      await driver.shows(
        () => driver.read('.tasks li:first-child h3'),
        [expect.stringMatching(/^Snapshot\s+succeeded$/)],
      );
      await driver.shows(
        async () => (await driver.read('.files code')).some((name) => name.endsWith('.snapshot')),
        true,
      );
      expect(await accessibilityFaults(driver.page)).toEqual([]);
      await driver.page.evaluate(WATCH_SAVED_FILES);
      await driver.click('.files button', dump);
      const answer = await fetch(`${server.url}/backups`, {
        headers: { authorization: `Bearer ${MASTER_KEY}` },
      });
      const { results } = (await answer.json()) as {
        readonly results: readonly { readonly name: string; readonly bytes: number }[];
      };
      const file = results.find(({ name }) => name === dump);
      await driver.shows(() => driver.page.evaluate('saved'), [[dump, file?.bytes]]);
    });

    it('pins a document by a rule', async () => {
      const rule = `pin-${width}`;
      await driver.go('#/rules');
      await driver.shows(
        () => driver.read('.search-rules button').then((all) => all.length > 0),
        true,
      );
      if ((await driver.read('.search-rules button')).includes('Enable search rules'))
        await driver.click('.search-rules button', 'Enable search rules');
      await driver.click('.search-rules button', 'New rule');
      await driver.fill('dialog .rule-form input[required]', rule);
      await driver.fill('dialog fieldset select', 'words');
      await driver.fill('dialog fieldset label:nth-of-type(2) input', `moon${width}`);
      await driver.click('dialog button', 'Pin a document');
      await driver.fill('dialog .row input[required]', '2');
      expect(await accessibilityFaults(driver.page)).toEqual([]);
      await driver.click('dialog [type=submit]');
      await driver.shows(
        async () => (await driver.read('.search-rules .made h2')).includes(rule),
        true,
      );
      const { hits } = await client.index('films').search(`moon${width}`);
      expect(hits.map(({ id }) => id)).toEqual([2]);
    });

    it('hides a document by a rule', async () => {
      const rule = `hide-${width}`;
      await driver.click('.search-rules button', 'New rule');
      await driver.fill('dialog .rule-form input[required]', rule);
      await driver.fill('dialog fieldset select', 'words');
      await driver.fill('dialog fieldset label:nth-of-type(2) input', `carol ${width}`);
      await driver.click('dialog button', 'Hide a document');
      await driver.fill('dialog .row input[required]', '1');
      expect(await accessibilityFaults(driver.page)).toEqual([]);
      await driver.click('dialog [type=submit]');
      await driver.shows(
        async () =>
          (await driver.read('.search-rules .made > li')).find((text) => text.includes(rule)),
        expect.stringContaining('hidden: document 1 of films'),
      );
      const found = async (q: string) =>
        (await client.index('films').search(q)).hits.some(({ id }) => id === 1);
      expect([await found('carol'), await found(`carol ${width}`)]).toEqual([true, false]);
    });

    it('deletes rules and API keys after a dialog', async () => {
      const deleting = async (list: string, named: string, button: string): Promise<void> => {
        const has = async () => (await driver.read(`${list} h2`)).includes(named);
        await driver.shows(has, true);
        const item = `[...document.querySelectorAll('${list}')].find((e) => e.querySelector('h2').textContent.trim() === '${named}')`;
        const open = `[...${item}.querySelectorAll('button')].find((e) => e.textContent.startsWith('Delete')).click()`;
        await driver.page.evaluate(open);
        expect(await accessibilityFaults(driver.page)).toEqual([]);
        await driver.click('dialog header button');
        await driver.shows(() => driver.read('dialog'), []);
        expect(await has()).toBe(true);
        await driver.page.evaluate(open);
        await driver.click('dialog .danger', button);
        await driver.shows(has, false);
        await driver.shows(() => driver.page.evaluate('document.activeElement.tagName'), 'MAIN');
      };
      await deleting('.search-rules .made > li', `hide-${width}`, 'Delete rule');
      await client.createKey({
        name: `old ${width}`,
        actions: ['search'],
        indexes: ['*'],
        expiresAt: null,
      });
      await driver.go('#/keys');
      await deleting('.keys > ul > li', `old ${width}`, 'Delete API key');
    });

    it('deletes an index after its name is typed', async () => {
      const uid = `old-${width}`;
      await client.createIndex(uid).waitTask();
      await driver.go('#/indexes');
      await driver.click('.indexes td button', `Delete ${uid}`);
      expect(await driver.page.evaluate(`document.querySelector('dialog .danger').disabled`)).toBe(
        true,
      );
      await driver.fill('dialog input', uid);
      await driver.click('dialog .danger', 'Delete index');
      await driver.shows(async () => (await driver.read('.indexes th a')).includes(uid), false);
    });

    it('sends a request of any route, and shows its answer', async () => {
      await driver.go('#/console');
      await driver.fill('.console select', 'POST /indexes/{indexUid}/search');
      await driver.fill('.console .parameters input[required]', 'films');
      await driver.fill('.console form textarea', '{"q": "carol", "limit": 1}');
      await driver.click('.console [type=submit]');
      await driver.shows(() => driver.read('.answer strong'), ['200']);
      expect(JSON.parse(await driver.value('.answer textarea'))).toMatchObject({
        query: 'carol',
        limit: 1,
      });
      await driver.fill('.console form textarea', '{"q": 1}');
      await driver.click('.console [type=submit]');
      await driver.shows(() => driver.read('.answer strong'), ['400']);
    });

    it.each(['tasks', 'keys', 'backups', 'rules', 'console'])(
      '%s are accessible, without overflow',
      async (view) => {
        await driver.go(`#/${view}`);
        await driver.shows(
          () => driver.read('main li, main tbody tr, main textarea').then((all) => all.length > 0),
          true,
        );
        expect(await driver.overflow()).toBe(0);
        expect(await faultsAt(driver.page, width)).toEqual([]);
      },
    );
  });
});
