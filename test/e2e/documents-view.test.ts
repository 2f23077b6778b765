/** The documents view of the page in a browser, at the widths of a desktop and of a phone. */
import type { Meilisearch } from 'meilisearch';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accessibilityFaults, faultsAt } from '../support/axe.ts';
import { describeInBrowser, openPage } from '../support/in-browser.ts';
import { type PageDriver, widthsOfSteps } from '../support/page-driver.ts';
import { fillShop, PRODUCTS } from '../support/product-fixture.ts';
import { freshUid, MASTER_KEY, type SharedServer, sharedServer } from '../support/shared-server.ts';

describeInBrowser('the documents view', () => {
  const [SHOP, VECTORS] = [freshUid('shop'), freshUid('vectors')];
  let server: SharedServer;
  let client: Meilisearch;
  let driver: PageDriver;

  beforeAll(async () => {
    server = await sharedServer();
    client = server.client;
    await fillShop(client, SHOP);
    const embedders = { own: { source: 'userProvided', dimensions: 2 } } as const;
    await client.index(VECTORS).updateSettings({ embedders }).waitTask();
    await client
      .index(VECTORS)
      .addDocuments([{ id: 1, price: 1, _vectors: { own: [0.5, 0.25] } }], { primaryKey: 'id' })
      .waitTask();
    driver = await openPage(server);
  });

  const ids = () => driver.read('.documents tbody th');
  const caption = async () => (await driver.read('.documents caption'))[0];
  const editor = '.json-editor';
  const edited = () => driver.value(editor).catch(() => '');
  const saysDone = (label: string) =>
    driver.shows(
      () => driver.read('.write-note').then(([text]) => text?.startsWith(`✓ ${label}: done, task`)),
      true,
    );
  const open = async (fragment: string) => {
    await driver.go('#/tasks');
    await driver.go(fragment);
  };

  describe.each(widthsOfSteps('phone'))('at a width of %i pixels', (width) => {
    beforeAll(() => driver.resize(width));

    beforeEach(async () => {
      await client.index(SHOP).addDocuments(PRODUCTS).waitTask();
      await open(`#/documents/${SHOP}`);
      await driver.shows(caption, '1 – 20 of 260 documents');
    });

    it('pages through the documents, with filter and order', async () => {
      await driver.click('.pages button', 'Next');
      await driver.shows(caption, '21 – 40 of 260 documents');
      await driver.fill('.browse .filter', 'stock >= 250');
      await driver.shows(caption, '1 – 10 of 10 documents');
      await driver.fill('.browse select', 'price:desc');
      await driver.shows(() => ids().then(([first]) => first), 'P-259');
      await driver.fill('.browse .filter', 'nothing = 1');
      await driver.shows(() => driver.read('main .failure a'), ['invalid_document_filter']);
      const opacity = `getComputedStyle(document.querySelector('.documents table')).opacity`;
      expect(await driver.page.evaluate(opacity)).toBe('0.5');
    });

    it('opens a document as JSON, saves what is edited, and shows the task', async () => {
      await driver.page.evaluate(`document.querySelector('.documents tbody button').focus()`);
      await driver.click('.documents tbody button', 'P-0');
      await driver.shows(() => edited().then((text) => text !== ''), true);
      expect(JSON.parse(await edited())).toEqual(PRODUCTS[0]);
      await driver.fill(editor, '{"sku": "P-0", "price": 1.0, "big": 12345678901234567890}');
      await driver.click('dialog button', 'Save');
      await saysDone('Save document P-0');
      await driver.shows(() => driver.page.evaluate('document.activeElement.textContent'), 'P-0');
      expect(await client.index(SHOP).getDocument('P-0')).toMatchObject({ price: 1 });
      await driver.click('.documents tbody button', 'P-0');
      await driver.shows(() => edited().then((text) => text.includes('"price": 1.0')), true);
      expect(await edited()).toContain('"big": 12345678901234567890');
      await driver.click('dialog header button');
    });

    it('refuses a text that is no document, and warns of another key', async () => {
      await driver.click('.documents tbody button', 'P-0');
      await driver.shows(() => edited().then((text) => text !== ''), true);
      const faults = () => driver.read('dialog .failure');
      for (const [text, fault] of [
        ['{"sku": }', 'This is not valid JSON.'],
        ['[]', 'A document is a JSON object'],
        ['{"name": "x"}', 'The document needs a value for its primary key sku.'],
      ] as const) {
        await driver.fill(editor, text);
        await driver.click('dialog button', 'Save');
        await driver.shows(() => faults().then(([said]) => said?.startsWith(fault)), true);
      }
      await driver.fill(editor, '{"sku": "other"}');
      await driver.shows(() => driver.read('dialog .note').then((all) => all.length), 1);
      await driver.click('dialog header button');
    });

    it('keeps embeddings that the client provided', async () => {
      await open(`#/documents/${VECTORS}`);
      await driver.click('.documents tbody button', '1');
      await driver.shows(() => edited().then((text) => text !== ''), true);
      await driver.fill(editor, `{"id": 1, "price": ${width}}`);
      await driver.click('dialog button', 'Save');
      await saysDone('Save document 1');
      const answer = await fetch(
        `${server.url}/indexes/${VECTORS}/documents/1?retrieveVectors=true`,
        {
          headers: { authorization: `Bearer ${MASTER_KEY}` },
        },
      );
      expect(await answer.json()).toEqual({
        id: 1,
        price: width,
        _vectors: { own: { embeddings: [[0.5, 0.25]], regenerate: false } },
      });
    });

    it('opens a document whose id has more digits than a number of JavaScript', async () => {
      const id = '1234567890123456789';
      await open(`#/documents/${VECTORS}`);
      await driver.click('.view-head button', 'Add document');
      await driver.fill(editor, `{"id": ${id}, "_vectors": {"own": null}}`);
      await driver.click('dialog footer button', 'Add document');
      await saysDone(`Save document ${id}`);
      await driver.click('.documents tbody th button', id);
      await driver.shows(edited, expect.stringContaining(`"id": ${id}`));
      expect(await driver.read('dialog .note')).toEqual([]);
      await driver.click('dialog footer button', 'Delete …');
      await driver.click('dialog footer button.danger');
      await saysDone(`Delete document ${id}`);
    });

    it('adds a document with the fields of the others, and deletes it', async () => {
      await driver.click('.view-head button', 'Add document');
      await driver.shows(() => edited().then((text) => text.includes('"sku": ""')), true);
      await driver.fill(editor, '{"sku": "new", "name": "New shoe", "stock": 9999}');
      await driver.click('dialog footer button', 'Add document');
      await saysDone('Save document new');
      await driver.fill('.browse .filter', 'stock = 9999');
      await driver.shows(ids, ['new']);
      await driver.click('.documents tbody button', 'new');
      await driver.click('dialog button', 'Delete …');
      await driver.click('dialog .danger', 'Delete');
      await saysDone('Delete document new');
      await driver.shows(() => driver.read('.documents .empty'), ['No documents.']);
    });

    it('deletes by filter after a count', async () => {
      await driver.fill('.browse .filter', 'brand = Zeta AND stock < 20');
      await driver.shows(caption, '1 – 10 of 10 documents');
      await driver.click('.browse button', 'Delete matching …');
      await driver.shows(() => driver.read('dialog p strong'), ['10 documents']);
      await driver.click('dialog .danger', 'Delete 10 documents');
      await saysDone('Delete 10 documents');
      expect((await client.index(SHOP).getStats()).numberOfDocuments).toBe(250);
    });

    it('empties an index only after its name is typed', async () => {
      await driver.click('.view-head button', 'Empty index …');
      const isDisabled = () => driver.page.evaluate(`document.querySelector('.danger').disabled`);
      await driver.fill('dialog input', 'sho');
      await driver.shows(isDisabled, true);
      await driver.fill('dialog input', SHOP);
      await driver.click('dialog .danger');
      await saysDone(`Empty index ${SHOP}`);
      await driver.shows(() => driver.read('.documents .empty'), ['No documents.']);
    });

    it('shows the error of a task that failed', async () => {
      await driver.click('.view-head button', 'Add document');
      await driver.fill(editor, '{"sku": "not an id!"}');
      await driver.click('dialog footer button', 'Add document');
      await driver.shows(
        () => driver.read('dialog .failure').then(([text]) => text?.includes('not an id!')),
        true,
      );
      await driver.click('dialog header button');
    });

    it('is no wider than the window, and accessible', async () => {
      expect(await faultsAt(driver.page, width)).toEqual([]);
      expect(await driver.overflow()).toBe(0);
      await driver.click('.documents tbody button', 'P-0');
      await driver.shows(() => edited().then((text) => text !== ''), true);
      expect(await accessibilityFaults(driver.page)).toEqual([]);
      expect(await driver.overflow()).toBe(0);
      await driver.click('dialog header button');
    });
  });
});
