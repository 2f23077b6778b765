/**
 * Start here: npm run bench -- --data DIR [--corpora movies,wordnet] [--rounds 3]
 * [--connections 1,8,32] [--repeat 1] [--answers SIZE] [--json FILE]
 * [--wiki FILE] [--protocol DIR] [--peer URL] [--peer-key KEY]
 *
 * Runs real server processes on corpora of DIR (corpora/NAME.ndjson.gz and queries/NAME.json.gz)
 * and prints one table a corpus: searches at rest, while documents are updated, and while another index is imported. Searches of
 * real text (real-text.ts) follow if their corpus is there.
 * Ratios are what to compare between machines.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { loadCorpus } from './bench/corpus.ts';
import { requireData } from './bench/data-files.ts';
import { measureServer, type ServerFigures } from './bench/measure-server.ts';
import { measureRealText } from './bench/real-text-passes.ts';
import { startServer } from './bench/server.ts';
import { formatTable } from './bench/table.ts';

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    corpora: { type: 'string', default: 'movies,wordnet' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '1,8,32' },
    repeat: { type: 'string', default: '1' },
    /** Finished answers that the server may keep: rounds repeat their queries, so none by default. */
    answers: { type: 'string', default: '0' },
    json: { type: 'string' },
    wiki: { type: 'string', default: '/tmp/wiki.ndjson' },
    protocol: { type: 'string', default: '../shared/bench/wiki' },
    peer: { type: 'string' },
    'peer-key': { type: 'string' },
  },
});

requireData(options.data);

const results: { corpus: string; figures: ServerFigures }[] = [];
for (const name of options.corpora.split(',')) {
  const corpus = loadCorpus(options.data, name, Number(options.repeat));
  const server = await startServer(['--answer-cache-size', options.answers]);
  try {
    const figures = await measureServer(server, corpus, {
      rounds: Number(options.rounds),
      connections: options.connections.split(',').map(Number),
    });
    results.push({ corpus: name, figures });
    console.log(
      `\n${name}${corpus.repeat > 1 ? ` x ${corpus.repeat}` : ''}\n${formatTable(figures)}`,
    );
  } finally {
    await server.stop();
  }
}
if (options.json) writeFileSync(options.json, `${JSON.stringify(results, null, 1)}\n`);
await measureRealText({
  corpus: options.wiki,
  protocol: options.protocol,
  peer: options.peer,
  peerKey: options['peer-key'],
  flags: ['--answer-cache-size', options.answers],
  warmPasses: 1,
  print: console.log,
});
