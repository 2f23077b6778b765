/** `gannet export`: the documents of an index as lines of JSON. */
import { counted } from '../../core/counted.ts';
import { type Command, textOption } from '../command.ts';
import { indexPath } from '../instance-client.ts';

interface Page {
  readonly results: readonly unknown[];
  readonly total: number;
}

const PAGE_DOCUMENTS = 1000;

export const exportCommand: Command = {
  name: 'export',
  summary: 'Writes the documents of an index as NDJSON',
  usage: 'INDEX > FILE',
  arguments: [1, 1],
  asksServer: true,
  options: {
    'filter FILTER': 'only documents that match',
    vectors: 'with their vectors',
  },
  async run({ arguments: [index = ''], options, instance, terminal }) {
    const filter = textOption(options, 'filter');
    const path = `${indexPath(index)}/documents/fetch`;
    for (let offset = 0; ; offset += PAGE_DOCUMENTS) {
      const body = {
        offset,
        limit: PAGE_DOCUMENTS,
        ...(filter !== null && { filter }),
        ...(options['vectors'] === true && { retrieveVectors: true }),
      };
      const { results, total } = await instance.request<Page>('POST', path, { body });
      const lines = results.map((document) => `${JSON.stringify(document)}\n`).join('');
      await terminal.write(Buffer.from(lines));
      const done = offset + results.length;
      terminal.progress(`${done} of ${counted(total, 'document')}`);
      if (results.length < PAGE_DOCUMENTS) break;
    }
    terminal.progress(null);
  },
};
