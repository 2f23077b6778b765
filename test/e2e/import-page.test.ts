/** Imports of the page, in a browser. The server takes 300 kB in one request. */
import { gzipSync } from 'node:zlib';
import type { Meilisearch } from 'meilisearch';
import { beforeAll, describe, expect, it } from 'vitest';
import { faultsInBothSchemes } from '../support/axe.ts';
import { describeInBrowser, openPage } from '../support/in-browser.ts';
import { type PageDriver, widthsOfSteps } from '../support/page-driver.ts';
import { MASTER_KEY } from '../support/shared-server.ts';
import { TestServer } from '../support/test-server.ts';

const PAYLOAD_BYTES_MAX = 300_000;

const lines = (count: number): string =>
  Array.from({ length: count }, (_, id) => `${JSON.stringify({ id, t: 'x'.repeat(900) })}\n`).join(
    '',
  );

describeInBrowser('imports in a browser', () => {
  let server: TestServer;
  let client: Meilisearch;
  let driver: PageDriver;

  beforeAll(async () => {
    const flags = ['--http-payload-size-limit', String(PAYLOAD_BYTES_MAX)];
    server = await TestServer.start({ masterKey: MASTER_KEY, flags });
    client = server.client;
    driver = await openPage(server);
    await driver.go('#/indexes');
  });

  const drop = async (name: string, bytes: string | Uint8Array): Promise<void> => {
    await driver.shows(() => driver.read('.drop').then((all) => all.length), 1);
    const base64 = Buffer.from(bytes).toString('base64');
    await driver.page.evaluate(`(() => {
      const bytes = Uint8Array.from(atob(${JSON.stringify(base64)}), (c) => c.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], ${JSON.stringify(name)}, { lastModified: 1 }));
      document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true }));
    })()`);
    await driver.shows(
      () => driver.read('.import legend').then(([text = '']) => text.split(',')[0]),
      name,
    );
  };
  const submit = (): Promise<void> => driver.click('.import .buttons button');
  const result = async (): Promise<string> => (await driver.read('.import-result p'))[0] ?? '';

  describe.each(widthsOfSteps('phone'))('at a width of %i pixels', (width) => {
    beforeAll(async () => {
      await driver.resize(width);
      for (const { uid } of (await client.getIndexes()).results)
        await client.deleteIndex(uid).waitTask();
    });

    it('detects the delimiter of CSV, also packed', async () => {
      await drop('cities.csv.gz', gzipSync('id;name;note\n1;Oslo;"a, b"\n2;Bergen;c\n'));
      expect(await driver.value('.import select')).toBe(';');
      await submit();
      await driver.shows(result, expect.stringContaining('2 documents of cities.csv.gz in cities'));
      expect(await client.index('cities').getDocument(1)).toEqual({
        id: '1',
        name: 'Oslo',
        note: 'a, b',
      });
    });

    it('sends more than the server takes at once in parts that it takes', async () => {
      await drop('many.ndjson', lines(1000));
      await submit();
      await driver.shows(result, expect.stringContaining('1,000 documents of many.ndjson in many'));
      expect((await client.index('many').getStats()).numberOfDocuments).toBe(1000);
    });

    it('names the line of an error in the whole file', async () => {
      await drop('bad.ndjson', `${lines(600)}{"id": 1,}\n${lines(10)}`);
      await submit();
      await driver.shows(
        () => driver.read('.import .failure').then(([text = '']) => text),
        expect.stringContaining('(line 601 of the file, column 10)'),
      );
    });

    it('names the option when one document is larger than a request may be', async () => {
      await drop('big.json', JSON.stringify([{ id: 1, t: 'x'.repeat(PAYLOAD_BYTES_MAX) }]));
      await submit();
      await driver.shows(
        () => driver.read('.import .failure').then(([text = '']) => text),
        expect.stringMatching(
          /--http-payload-size-limit 2MiB.*gannet import big\.json --index big/,
        ),
      );
    });

    it('resumes with the part that failed', async () => {
      await driver.page.evaluate(`(() => {
        const { fetch } = window;
        let parts = 0;
        window.fetch = async (path, options) => {
          if (options?.method !== 'POST') return fetch(path, options);
          if (parts === 3) {
            window.fetch = fetch;
            throw new TypeError('gone');
          }
          const answer = await fetch(path, options);
          if (answer.ok) parts += 1;
          return answer;
        };
      })()`);
      await drop(`resumed${width}.ndjson`, lines(1000));
      await submit();
      await driver.shows(() => driver.read('.import .failure'), ['The server does not answer.']);
      await driver.click('.import .buttons button', 'Resume after');
      await driver.shows(
        result,
        expect.stringContaining(`1,000 documents of resumed${width}.ndjson`),
      );
      const { results } = await client.tasks.getTasks({
        indexUids: [`resumed${width}`],
        limit: 100,
      });
      const received = results.map(({ details }) => details?.receivedDocuments ?? 0);
      expect(received.reduce((sum, count) => sum + count, 0)).toBe(1000);
    });

    it('shows tasks that failed', async () => {
      await drop('ids.ndjson', '{"id":1}\n{"id":"a b"}\n');
      await submit();
      await driver.shows(
        () => driver.read('.import-result li').then(([text = '']) => text),
        expect.stringContaining('Document 2 of the payload has the id'),
      );
    });

    it('imports again with the primary key that was missing', async () => {
      await drop('parts.csv', 'sku,name\nA1,Bolt\n');
      await submit();
      await driver.shows(
        () => driver.read('.import-result li code').then(([first]) => first),
        'id',
      );
      await driver.fill('.import label:nth-of-type(2) input', 'sku');
      await submit();
      await driver.shows(result, expect.stringContaining('1 document of parts.csv'));
      expect((await client.index('parts').getStats()).numberOfDocuments).toBe(1);
    });

    it('is accessible in light and in dark colours, without overflow', async () => {
      await drop('cities.csv', 'id;name\n1;Oslo\n');
      expect(await driver.overflow()).toBe(0);
      expect(await faultsInBothSchemes(driver.page)).toEqual([]);
    });
  });
});
