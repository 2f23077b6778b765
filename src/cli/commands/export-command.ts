/** `gannet export`: the documents of an index as lines of JSON. */
import { counted } from '../../core/counted.ts';
import { type Command, textOption } from '../command.ts';

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
    const choice = {
      ...(filter !== null && { filter }),
      ...(options['vectors'] === true && { retrieveVectors: true }),
    };
    let done = 0;
    for await (const { documents, total } of instance.documents(index, { choice })) {
      await terminal.write(Buffer.from(`${documents.join('\n')}\n`));
      done += documents.length;
      terminal.progress(`${done} of ${counted(total, 'document')}`);
    }
    terminal.progress(null);
  },
};
