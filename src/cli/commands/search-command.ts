/** `gannet search`: runs one search and prints a line for each hit. */
import { counted } from '../../core/counted.ts';
import { type Command, jsonOption, numberOption, textOption } from '../command.ts';
import { indexPath } from '../instance-client.ts';

const LIMIT_DEFAULT = 10;

interface SearchAnswer {
  readonly hits: readonly Readonly<Record<string, unknown>>[];
  readonly estimatedTotalHits?: number;
  /** Instead of the estimate if `--body` has `page` or `hitsPerPage`. */
  readonly totalHits?: number;
  readonly processingTimeMs: number;
}

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
};

export const searchCommand: Command = {
  name: 'search',
  summary: 'Searches an index',
  usage: 'INDEX [WORDS...]',
  arguments: [1, Number.POSITIVE_INFINITY],
  asksServer: true,
  options: {
    'limit N': `maximum number of hits (default: ${LIMIT_DEFAULT})`,
    'filter FILTER': 'such as "year > 1999"',
    'body JSON': 'more parameters of the search request, such as \'{"sort":["year:asc"]}\'',
  },
  async run({ arguments: [index = '', ...words], options, instance, terminal }) {
    const filter = textOption(options, 'filter');
    const body = {
      q: words.join(' '),
      limit: numberOption(options, 'limit', LIMIT_DEFAULT),
      ...(filter !== null && { filter }),
      ...(jsonOption(options, 'body') as object | undefined),
    };
    const path = `${indexPath(index)}/search`;
    const answer = await instance.request<SearchAnswer>('POST', path, { body });
    const { hits, estimatedTotalHits, totalHits = 0, processingTimeMs } = answer;
    for (const hit of hits) {
      const fields = Object.entries(hit).filter(([name]) => !name.startsWith('_'));
      terminal.print(
        fields
          .slice(0, 4)
          .map(([, value]) => shown(value))
          .join('  '),
      );
      terminal.json(hit);
    }
    const found = counted(estimatedTotalHits ?? totalHits, 'hit');
    terminal.note(`${hits.length} of ${found} in ${processingTimeMs} ms`);
  },
};
