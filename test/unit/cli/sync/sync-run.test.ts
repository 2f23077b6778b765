/** `SyncRun` with a database and a server in memory that fail at random, and kills at any step. */
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { CommandFailure } from '../../../../src/cli/command-failure.ts';
import { SyncReport } from '../../../../src/cli/sync/sync-report.ts';
import { copyStateFile, SyncRun } from '../../../../src/cli/sync/sync-run.ts';
import { SyncTarget } from '../../../../src/cli/sync/sync-target.ts';
import { createTerminal } from '../../../../src/cli/terminal.ts';
import {
  FakeDatabase,
  FakeServer,
  FakeSource,
  interrupted,
  Killed,
  type Trouble,
} from '../../../support/fake-sync.ts';
import { cleanUp, freshFolder } from '../../../support/test-server.ts';

const silent = { write: () => true };
const terminal = createTerminal(
  { input: (async function* () {})(), output: silent, errors: silent },
  false,
  () => 0,
);

const pause = (): Promise<void> => new Promise(setImmediate);

const NO_TROUBLE: Trouble = {
  atSource: () => Promise.resolve(),
  losesAnswer: () => Promise.resolve(false),
};

interface Process {
  readonly database: FakeDatabase;
  readonly server: FakeServer;
  readonly folder: string;
  readonly trouble?: Trouble;
  readonly copiesAgain?: boolean;
}

/** Resolves when the process has caught up. */
function run({ database, server, folder, trouble, copiesAgain = false }: Process): Promise<void> {
  const used = trouble ?? NO_TROUBLE;
  return new SyncRun({
    target: new SyncTarget(server.seenWith(used), () => undefined, pause),
    terminal,
    state: copyStateFile('films', { XDG_STATE_HOME: folder }),
    report: new SyncReport(() => undefined, Date.now),
    isOnce: true,
    copiesAgain,
    savedRows: 2,
    pause,
  }).sessions(() => new FakeSource(database, used));
}

const indexed = ({ documents }: FakeServer): object =>
  Object.fromEntries([...documents].map(([id, document]) => [id, document['text']]));

const change = fc.record({
  kind: fc.constantFrom('put', 'put', 'putUnflushed', 'crash', 'remove', 'rename', 'truncate'),
  key: fc.integer({ min: 0, max: 9 }).map(String),
});
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

function make(database: FakeDatabase, { kind, key }: Change): void {
  if (kind === 'put') database.put(key, `text ${database.log.length}`);
  else if (kind === 'putUnflushed') database.putUnflushed(key, `lost ${database.log.length}`);
  else if (kind === 'crash') database.crash();
  else if (kind === 'remove') database.remove(key);
  else if (kind === 'rename') database.rename(key);
  else database.truncate();
}

/** What happens at each step of a process, which is killed after the last one. */
const life = fc.record({
  steps: fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constant('work' as const) },
      { weight: 1, arbitrary: fc.constant('fail' as const) },
      { weight: 2, arbitrary: change },
    ),
    { minLength: 5, maxLength: 80, size: 'max' },
  ),
  /** The state file is lost, as on another machine. */
  movesTo: fc.constantFrom('the same machine', 'the same machine', 'another machine'),
  dropsSlot: fc.integer({ min: 0, max: 9 }).map((digit) => digit === 0),
});

function troubleOf(steps: readonly (Change | 'work' | 'fail')[], database: FakeDatabase): Trouble {
  const queue = [...steps];
  const fails = (): boolean => {
    const step = queue.shift();
    if (step === undefined) throw new Killed();
    if (typeof step === 'object') make(database, step);
    return step === 'fail';
  };
  return {
    atSource: async () => {
      if (fails()) throw interrupted();
    },
    losesAnswer: async () => fails(),
  };
}

afterAll(cleanUp);

describe('a sync', () => {
  it('copies rows, then applies changes', async () => {
    const [database, server, folder] = [new FakeDatabase(), new FakeServer(), freshFolder()];
    database.put('1', 'one');
    database.put('2', 'two');
    await run({ database, server, folder });
    expect(indexed(server)).toEqual({ 1: 'one', 2: 'two' });
    database.put('1', 'changed');
    database.rename('2');
    database.put('3', 'three');
    database.remove('3');
    await run({ database, server, folder });
    expect(indexed(server)).toEqual({ 1: 'changed', '2x': 'two' });
    expect(database).toMatchObject({ confirmed: database.log.length, isMarked: false });
  });

  it('ends with the rows of the database, whatever fails and however often it is killed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 8 }), fc.array(life), async (rows, lives) => {
        const [database, server] = [new FakeDatabase(), new FakeServer()];
        let folder = freshFolder();
        for (let key = 0; key < rows; key++) database.put(String(key), 'before');
        if (rows % 2 === 0) await run({ database, server, folder });
        for (const { steps, movesTo, dropsSlot } of lives) {
          if (movesTo === 'another machine') folder = freshFolder();
          if (dropsSlot) database.dropSlot();
          const trouble = troubleOf(steps, database);
          await run({ database, server, folder, trouble }).catch((error: unknown) => {
            if (!(error instanceof Killed || error instanceof CommandFailure)) throw error;
          });
        }
        database.flush();
        await run({ database, server, folder });
        expect(indexed(server)).toEqual(Object.fromEntries(database.rows));
        expect(database).toMatchObject({ confirmed: database.log.length, isMarked: false });
      }),
    );
  });

  it('copies again when the slot is gone, and deletes documents without a row', async () => {
    const [database, server, folder] = [new FakeDatabase(), new FakeServer(), freshFolder()];
    database.put('1', 'one');
    database.put('2', 'two');
    await run({ database, server, folder });
    database.dropSlot();
    database.rows.delete('1');
    await run({ database, server, folder });
    expect(indexed(server)).toEqual({ 2: 'two' });
  });

  it('repairs an index that someone changed, if it copies again', async () => {
    const [database, server, folder] = [new FakeDatabase(), new FakeServer(), freshFolder()];
    database.put('1', 'one');
    await run({ database, server, folder });
    server.documents.set('1', { id: '1', text: 'other' });
    server.documents.set('9', { id: '9', text: 'foreign' });
    await run({ database, server, folder });
    expect(indexed(server)).toEqual({ 1: 'other', 9: 'foreign' });
    await run({ database, server, folder, copiesAgain: true });
    expect(indexed(server)).toEqual({ 1: 'one' });
  });

  it('finishes a repeated copy that was killed at any step after its beginning', async () => {
    let begun = 0;
    for (let steps = 0; steps < 30; steps++) {
      const [database, server, folder] = [new FakeDatabase(), new FakeServer(), freshFolder()];
      for (const key of ['1', '2', '3', '4', '5']) database.put(key, 'right');
      await run({ database, server, folder });
      server.documents.set('5', { id: '5', text: 'wrong' });
      const trouble = troubleOf(
        Array.from({ length: steps }, () => 'work' as const),
        database,
      );
      const process = run({ database, server, folder, trouble, copiesAgain: true });
      const end = await process.catch((error: unknown) => error);
      if (end === undefined) break;
      expect(end).toBeInstanceOf(Killed);
      if (!database.isMarked) continue;
      begun += 1;
      await run({ database, server, folder });
      expect(new Set(Object.values(indexed(server)))).toEqual(new Set(['right']));
    }
    expect(begun).toBeGreaterThan(5);
  });

  it('repeats a copy completely, whichever of its steps fails', async () => {
    for (let failing = 0; failing < 30; failing++) {
      const [database, server, folder] = [new FakeDatabase(), new FakeServer(), freshFolder()];
      for (const key of ['1', '2', '3', '4', '5']) database.put(key, 'right');
      await run({ database, server, folder });
      server.documents.set('5', { id: '5', text: 'wrong' });
      const steps = Array.from({ length: 300 }, (_, at) => (at === failing ? 'fail' : 'work'));
      const trouble = troubleOf(steps as ('fail' | 'work')[], database);
      const copying = run({ database, server, folder, trouble, copiesAgain: true });
      const end = await copying.catch((error: unknown) => error);
      // Nothing is repeated before source and server have answered once.
      if (end instanceof CommandFailure) continue;
      expect(server.documents.get('5')).toEqual({ id: '5', text: 'right' });
    }
  });

  it('reads a row again if a crash of the database takes back what was read', async () => {
    const STEPS = 20;
    for (let at = 0; at < STEPS; at++)
      for (let crash = at + 1; crash < STEPS; crash++) {
        const [database, server, folder] = [new FakeDatabase(), new FakeServer(), freshFolder()];
        if (at % 2 === 0) await run({ database, server, folder });
        database.put('1', 'right');
        const steps = Array.from({ length: STEPS * 2 }, (_, step): Change | 'work' => {
          if (step === at) return { kind: 'putUnflushed', key: '1' };
          return step === crash ? { kind: 'crash', key: '' } : 'work';
        });
        const trouble = troubleOf(steps, database);
        await run({ database, server, folder, trouble }).catch(() => undefined);
        database.flush();
        await run({ database, server, folder });
        expect(indexed(server)).toEqual(Object.fromEntries(database.rows));
      }
  });
});
