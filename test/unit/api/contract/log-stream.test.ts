/** The log of an instance as a stream. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type LogForm, LogStreams } from '../../../../src/api/contract/log-stream.ts';
import { parseLogLevels } from '../../../../src/observability/log-levels.ts';
import { createLogger } from '../../../../src/observability/logger.ts';

function openStream(form: LogForm) {
  const log = createLogger({ level: 'off', mode: 'JSON', name: 'front' });
  const logs = new LogStreams(log);
  const stop = new AbortController();
  const levels = parseLogLevels('info,http=debug');
  if (levels === null) throw new Error('no levels');
  const chunks: string[] = [];
  let endCount = 0;
  const done = (async () => {
    for await (const chunk of logs.open(levels, form, stop.signal, () => endCount++))
      chunks.push(String(chunk));
  })();
  return { log, logs, stop, done, text: () => chunks.join(''), endCount: () => endCount };
}

const INDEXER_LINE = { time: 't', level: 'INFO', name: 'indexer', msg: 'batch finished', batch: 3 };

it('has lines of this process at the levels asked for, and those of the indexer', async () => {
  const { log, logs, stop, done, text } = openStream('json');
  await turn();
  log.for('http').debug({ status: 200 }, 'request');
  log.debug('unwanted');
  logs.line(INDEXER_LINE);
  await turn();
  stop.abort();
  await done;
  const lines = text()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toEqual([
    {
      timestamp: expect.any(String),
      level: 'DEBUG',
      target: 'front/http',
      fields: { message: 'request', status: 200 },
    },
    {
      timestamp: 't',
      level: 'INFO',
      target: 'indexer',
      fields: { message: 'batch finished', batch: 3 },
    },
  ]);
});

it('is human-readable on request', async () => {
  const { logs, stop, done, text } = openStream('human');
  await turn();
  logs.line(INDEXER_LINE);
  await turn();
  stop.abort();
  await done;
  expect(text()).toBe('\nt INFO  indexer: batch finished batch=3\n');
});

it('ends on request, and then unsubscribes', async () => {
  const { log, logs, done, endCount } = openStream('human');
  await turn();
  expect(log.isLevelEnabled('info')).toBe(true);
  logs.streamEnded();
  await done;
  expect([log.isLevelEnabled('info'), endCount()]).toEqual([false, 0]);
  logs.line(INDEXER_LINE);
});

it('calls back when the client leaves', async () => {
  const { log, stop, done, endCount } = openStream('human');
  await turn();
  stop.abort();
  await done;
  expect([log.isLevelEnabled('info'), endCount()]).toEqual([false, 1]);
});

it('goes on after the last lines of an earlier stream, which was ended on request', async () => {
  const logs = new LogStreams(createLogger({ level: 'off', mode: 'JSON', name: 'front' }));
  const levels = parseLogLevels('info');
  if (levels === null) throw new Error('no levels');
  const ended: string[] = [];
  const open = (name: string) =>
    logs.open(levels, 'human', new AbortController().signal, () => ended.push(name));
  const slow = open('slow');
  await slow.next();
  logs.streamEnded();
  const next = open('next');
  await next.next();
  for await (const _ of slow);
  logs.line(INDEXER_LINE);
  const { value } = await next.next();
  expect(String(value)).toContain('batch finished');
  expect(ended).toEqual([]);
});

it('ends for a client that is more than 1 MiB behind', async () => {
  const logs = new LogStreams(createLogger({ level: 'off', mode: 'JSON', name: 'front' }));
  const levels = parseLogLevels('info');
  if (levels === null) throw new Error('no levels');
  const chunks = logs.open(levels, 'human', new AbortController().signal, () => undefined);
  await chunks.next();
  for (let i = 0; i < 16; i++) logs.line({ ...INDEXER_LINE, msg: 'x'.repeat(1 << 17) });
  let bytes = 0;
  for await (const chunk of chunks) bytes += chunk.length;
  expect(bytes).toBeGreaterThan(1 << 20);
  expect(bytes).toBeLessThan(15 << 17);
});
