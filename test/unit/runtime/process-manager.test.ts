/**
 * The supervisor's care for its children, with small scripts as children: restarts, order of the
 * end, failed starts.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type ChildSpec,
  ProcessManager,
  RESTART_POLICY,
} from '../../../src/runtime/process-manager.ts';
import { until } from '../../support/until.ts';

const log = { warn: () => {} };
/** Ready at once; writes its name to the journal when it is stopped. */
const OBEDIENT = `
import { appendFileSync } from 'node:fs';
process.on('message', ({ kind }) => {
  if (kind !== 'stop') return;
  appendFileSync(process.env.JOURNAL, process.env.NAME + '\\n');
  process.exit(0);
});
process.send({ kind: 'ready', info: { name: process.env.NAME } });`;

let folder: string;
const started: ProcessManager[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gannet-processes-'));
});
afterEach(() => {
  for (const manager of started.splice(0)) manager.kill();
  rmSync(folder, { recursive: true });
});

const journal = () => readFileSync(join(folder, 'journal'), 'utf8').trim().split('\n');

function child(name: string, script: string, stopGraceMs = 2000): ChildSpec {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, script);
  const env = { NAME: name, JOURNAL: join(folder, 'journal'), FOLDER: folder };
  return { name, entry: pathToFileURL(file), env, stopGraceMs };
}

function manage(
  children: ChildSpec[],
  onReady?: (name: string, info: unknown) => void,
  policy = {},
): ProcessManager {
  const restartPolicy = { ...RESTART_POLICY, delayMsMin: 20, delayMsMax: 80, ...policy };
  const manager = new ProcessManager({ children, log, restartPolicy, ...(onReady && { onReady }) });
  started.push(manager);
  return manager;
}

describe('ProcessManager', () => {
  it('starts all and stops them last first', async () => {
    const manager = manage([child('indexer', OBEDIENT), child('front', OBEDIENT)]);
    await manager.start();
    await manager.stop();
    expect(journal()).toEqual(['front', 'indexer']);
  });

  it('reports a child that ends with an error while it stops', async () => {
    const warn = vi.spyOn(log, 'warn').mockClear();
    const failing = OBEDIENT.replace('process.exit(0)', 'process.exit(3)');
    const manager = manage([child('indexer', failing), child('front', OBEDIENT)]);
    await manager.start();
    await manager.stop();
    expect(warn.mock.calls).toEqual([['indexer ended with code 3 while it stopped']]);
  });

  it('restarts a child that was killed while the other goes on', async () => {
    const ready: string[] = [];
    const manager = manage([child('indexer', OBEDIENT), child('front', OBEDIENT)], (name) =>
      ready.push(name),
    );
    await manager.start();
    const front = manager.pidOf('front');
    process.kill(manager.pidOf('indexer') ?? 0, 'SIGKILL');
    await until('it is ready again', () => ready.filter((name) => name === 'indexer').length === 2);
    expect(manager.pidOf('front')).toBe(front);
    await manager.stop();
  });

  it('kills and restarts a child whose event loop hangs', async () => {
    const warn = vi.spyOn(log, 'warn').mockClear();
    const hanging = OBEDIENT.replace(
      "if (kind !== 'stop') return;",
      "if (kind === 'serve') for (;;);\n  if (kind !== 'stop') return;",
    );
    let readies = 0;
    const front = { ...child('front', hanging), servesAfter: 'indexer', hangMs: 300 };
    const manager = manage(
      [child('indexer', OBEDIENT), front],
      (name) => {
        if (name === 'front') readies++;
      },
      { lookMs: 50 },
    );
    await manager.start();
    await until('it is ready again', () => readies > 1);
    expect(warn.mock.calls[0]).toEqual([
      'the event loop of front has hung for 300 ms; it is killed',
    ]);
    manager.kill();
  });

  it('tells a child that is started again how the one before it ended', async () => {
    const telling = `process.on('message', ({ kind }) => { if (kind === 'stop') process.exit(0); });
process.send({ kind: 'ready', info: { before: process.env.GANNET_PREDECESSOR_END ?? 'nobody' } });`;
    const before: string[] = [];
    const manager = manage([child('indexer', telling)], (_name, info) =>
      before.push((info as { before: string }).before),
    );
    await manager.start();
    for (const signal of ['SIGKILL', 'SIGSEGV', 'SIGTERM', 'SIGABRT'] as const) {
      const count = before.length;
      process.kill(manager.pidOf('indexer') ?? 0, signal);
      await until('it has been started again', () => before.length > count);
    }
    expect(before).toEqual(['nobody', 'outside', 'own', 'outside', 'own']);
    await manager.stop();
  });

  it('takes no other message of a child for its readiness', async () => {
    const chatty = `process.on('message', () => process.exit(0));
for (const message of [{ 'watch:import': ['file:///a.js'] }, { kind: 'other' }, 'text', 1, null, []]) process.send(message);
setTimeout(() => process.send({ kind: 'ready', info: { name: 'late' } }), 50);`;
    const ready: unknown[] = [];
    const manager = manage([child('front', chatty)], (_name, info) => ready.push(info));
    await manager.start();
    expect(ready).toEqual([{ name: 'late' }]);
    await manager.stop();
  });

  it('hides from its children that node watches it', async () => {
    vi.stubEnv('WATCH_REPORT_DEPENDENCIES', '1');
    const telling = `process.on('message', () => process.exit(0));
process.send({ kind: 'ready', info: { isWatched: String('WATCH_REPORT_DEPENDENCIES' in process.env) } });`;
    const ready: unknown[] = [];
    const manager = manage([child('front', telling)], (_name, info) => ready.push(info));
    await manager.start().finally(() => vi.unstubAllEnvs());
    expect(ready).toEqual([{ isWatched: 'false' }]);
    await manager.stop();
  });

  it('waits longer before each restart of a child that keeps dying', async () => {
    const dying = `import { appendFileSync } from 'node:fs';
appendFileSync(process.env.JOURNAL, process.hrtime.bigint() / 1000000n + '\\n');
process.send({ kind: 'ready', info: {} }, () => process.exit(3));`;
    const manager = manage([child('front', dying)], undefined, { delayMsMin: 40, delayMsMax: 160 });
    await manager.start();
    await until('five starts', () => existsSync(join(folder, 'journal')) && journal().length >= 5);
    await manager.stop();
    const times = journal().map(Number);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(gaps[0]).toBeGreaterThanOrEqual(40);
    expect(gaps[1]).toBeGreaterThanOrEqual(80);
    expect(gaps[2]).toBeGreaterThanOrEqual(160);
    expect(gaps[3]).toBeGreaterThanOrEqual(160);
  });

  it('tells a child that it may serve once the child it depends on has been ready, and again after a restart', async () => {
    const late = `process.on('message', () => process.exit(0));
setTimeout(() => process.send({ kind: 'ready', info: {} }), 100);`;
    const permitted = `import { appendFileSync } from 'node:fs';
process.on('message', ({ kind }) => {
  if (kind === 'stop') process.exit(0);
  if (kind !== 'serve') return;
  appendFileSync(process.env.JOURNAL, kind + '\\n');
  process.send({ kind: 'ready', info: {} });
});`;
    const ready: string[] = [];
    const front = { ...child('front', permitted), servesAfter: 'indexer' };
    const manager = manage([child('indexer', late), front], (name) => ready.push(name));
    await manager.start();
    expect(ready).toEqual(['indexer', 'front']);
    process.kill(manager.pidOf('front') ?? 0, 'SIGKILL');
    await until('the front is ready again', () => ready.length === 3);
    expect(journal()).toEqual(['serve', 'serve']);
    await manager.stop();
  });

  it('gives up with the message of a child that cannot start', async () => {
    const failing = `process.send({ kind: 'failed', message: 'port 80 is in use' }, () => process.exit(1));`;
    const manager = manage([child('indexer', OBEDIENT), child('front', failing)]);
    await expect(manager.start()).rejects.toThrow('port 80 is in use');
    await manager.stop();
    expect(journal()).toEqual(['indexer']);
  });

  it('gives up when a child dies silently again and again before it was ready', async () => {
    const manager = manage([child('front', 'process.exit(9)')], undefined, {
      failedStartsMax: 2,
      delayMsMin: 5,
    });
    await expect(manager.start()).rejects.toThrow('front cannot start: it ended with code 9');
  });

  it('gives up when the system cannot start the process of a child', async () => {
    const { execPath } = process;
    const manager = manage([child('front', OBEDIENT)], undefined, { failedStartsMax: 2 });
    process.execPath = join(folder, 'missing');
    try {
      await expect(manager.start()).rejects.toThrow(/^front cannot start: it did not start: spawn/);
    } finally {
      process.execPath = execPath;
    }
    await manager.stop();
  });

  it('kills a child that does not stop in time', async () => {
    const deaf = `process.on('message', () => {}); process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);
process.send({ kind: 'ready', info: {} });`;
    const manager = manage([child('front', deaf, 150)]);
    await manager.start();
    const startedMs = performance.now();
    await manager.stop();
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(140);
    expect(manager.pidOf('front')).toBeNull();
  });

  it('does not restart what is being stopped', async () => {
    const manager = manage([child('front', OBEDIENT)]);
    await manager.start();
    await manager.stop();
    // Longer than the longest pause before a restart.
    await sleep(100);
    expect(manager.pidOf('front')).toBeNull();
  });
});
