/**
 * Searches of real text, compared with a live peer on the same documents and requests:
 *
 *     npm run bench:wiki -- [--corpus /tmp/wiki.ndjson] [--protocol ../shared/bench/wiki]
 *         [--repository GIT_DIR] [--queries FILE] [--peer http://127.0.0.1:7700] [--peer-key KEY]
 *         [--folder DIR] [--flags '--query-threads 2'] [--warm 2]
 *
 * The corpus is English Wikipedia, which `make.py` of the protocol takes from a git directory; the
 * text is never committed. Each query is sent as all words, with optional last words, as a phrase,
 * and letter by letter. Passes take turns between both servers: cold (first after a start of ours),
 * warm, and with 8 clients. Each pass has a `limit` of its own, so a response cache answers nothing.
 * Figures are milliseconds; the load of the machine is printed with each pass.
 */
import { parseArgs } from 'node:util';
import { measureRealText } from './bench/real-text-passes.ts';

const { values: options } = parseArgs({
  options: {
    corpus: { type: 'string', default: '/tmp/wiki.ndjson' },
    protocol: { type: 'string', default: '../shared/bench/wiki' },
    repository: { type: 'string' },
    queries: { type: 'string' },
    peer: { type: 'string' },
    'peer-key': { type: 'string' },
    folder: { type: 'string' },
    flags: { type: 'string', default: '' },
    warm: { type: 'string', default: '2' },
  },
});

await measureRealText({
  ...options,
  peerKey: options['peer-key'],
  flags: options.flags.split(' ').filter(Boolean),
  warmPasses: Number(options.warm),
  print: (line) => void process.stdout.write(`${line}\n`),
});
