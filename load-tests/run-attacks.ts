/**
 * Runs the attacks of `attacks/`, each on a server of its own, and prints what another client saw
 * meanwhile; ends with 1 when a promise was broken.
 * `npm run attacks [-- --only "long highlight tags"] [--short] [--json]`
 *
 * `--short` is the form of `npm test`: short attacks alone, on two servers with a small index, one of
 * them with the launch options that attacks need; times and the return of memory are not judged.
 * `--json` prints one outcome a line.
 */
import { parseArgs } from 'node:util';
import { Bystander } from './attacks/parts/bystander.ts';
import { findAttacks, groupsByServer } from './attacks/parts/find-attacks.ts';
import { MEBIBYTE, type Outcome, runAttack } from './attacks/parts/run-attack.ts';
import { startKeyedTexts } from './bench/keyed-texts.ts';
import { aligned } from './bench/table.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    short: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

/** Documents of the attacked index in the short form. */
const SHORT_DOCUMENTS = 2000;

const mebibytes = (bytes: number): string => String(Math.round(bytes / MEBIBYTE));
const HEADINGS = [
  ...['attack', 'search p99 ms', 'health max ms', 'failed', 'front MiB start', 'peak', 'end'],
  ...['back after s', 'took s', 'broken promises'],
];

const rowOf = (outcome: Outcome): string[] => [
  outcome.attack,
  outcome.searchP99Ms.toFixed(1),
  outcome.healthMaxMs.toFixed(1),
  String(outcome.failedCount),
  mebibytes(outcome.frontStartBytes),
  mebibytes(outcome.frontPeakBytes),
  mebibytes(outcome.frontEndBytes),
  Number.isNaN(outcome.memoryBackMs) ? '' : (outcome.memoryBackMs / 1000).toFixed(1),
  outcome.seconds.toFixed(1),
  String(outcome.broken.length),
];

const all = await findAttacks();
const chosen = all.filter(({ name, short }) =>
  values.only === undefined ? short || !values.short : name === values.only,
);
if (chosen.length === 0)
  throw new Error(`no such attack; there are: ${all.map(({ name }) => name)}`);
const bystander = new Bystander();
const outcomes: Outcome[] = [];
const groups = values.short ? groupsByServer(chosen) : chosen.map((attack) => [attack]);
for (const group of groups) {
  const options = ['--experimental-enable-metrics', ...(values.short ? ['--no-warm-up'] : [])];
  const flags = [...options, ...group.flatMap(({ serverOptions = [] }) => serverOptions)];
  const server = await startKeyedTexts(flags, values.short ? SHORT_DOCUMENTS : undefined);
  try {
    for (const attack of group) {
      const outcome = await runAttack(server, attack, bystander, values.short);
      outcomes.push(outcome);
      if (values.json) console.log(JSON.stringify(outcome));
    }
  } finally {
    await server.stop();
  }
}
await bystander.close();
if (!values.json) {
  console.log(aligned([HEADINGS, ...outcomes.map(rowOf)]));
  for (const { attack, sends, broken } of outcomes)
    for (const promise of broken) console.log(`${attack}: ${promise} (sent: ${sends})`);
}
process.exitCode = outcomes.every(({ broken }) => broken.length === 0) ? 0 : 1;
