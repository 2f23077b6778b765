/** Which role a node takes, as a table of facts. */
import { expect, it } from 'vitest';
import { decideRole, type RoleFacts } from '../../../src/cluster/role-decision.ts';

const other = { nodeId: 'other', url: 'http://other', beat: 7, hasStopped: false };
const own = { ...other, nodeId: 'own' };
const facts: RoleFacts = {
  role: 'all',
  nodeId: 'own',
  hasDatabase: true,
  writer: other,
  wasFenced: false,
  isBeingOpened: false,
  silentMs: 0,
  takeoverMs: 10_000,
};

const table: readonly (readonly [string, Partial<RoleFacts>, string])[] = [
  ['a writer replaces a living writer', { role: 'writer' }, 'write'],
  ['a writer creates the store', { role: 'writer', hasDatabase: false, writer: null }, 'write'],
  ['a reader waits for a store', { role: 'reader', hasDatabase: false, writer: null }, 'wait'],
  ['a reader waits for the first commit', { role: 'reader', writer: null }, 'wait'],
  ['a reader follows a living writer', { role: 'reader' }, 'follow'],
  ['a reader follows a dead writer', { role: 'reader', silentMs: 1e9 }, 'follow'],
  [
    'a reader follows a stopped one',
    { role: 'reader', writer: { ...other, hasStopped: true } },
    'follow',
  ],
  ['any node creates the store', { hasDatabase: false, writer: null }, 'write'],
  ['any node follows a living writer', {}, 'follow'],
  ['any node waits for the time of a takeover', { silentMs: 9999 }, 'follow'],
  ['any node replaces a silent writer', { silentMs: 10_000 }, 'write'],
  [
    'any node replaces a stopped writer at once',
    { writer: { ...other, hasStopped: true } },
    'write',
  ],
  ['a node that restarts goes on to write', { writer: own }, 'write'],
  ['a node that was replaced lets its successor begin', { writer: own, wasFenced: true }, 'follow'],
  ['but not for ever', { writer: own, wasFenced: true, silentMs: 10_000 }, 'write'],
  [
    'the last writer lets a node begin that takes over',
    { writer: own, isBeingOpened: true },
    'follow',
  ],
  [
    'so does any node after an orderly stop',
    { writer: { ...other, hasStopped: true }, isBeingOpened: true },
    'follow',
  ],
  [
    'a node that takes over and ends is replaced',
    { writer: own, isBeingOpened: true, silentMs: 10_000 },
    'write',
  ],
  ['a writer replaces a node that takes over', { role: 'writer', isBeingOpened: true }, 'write'],
  ['a first node opens the store again', { writer: null, isBeingOpened: true }, 'write'],
];

it.each(table)('%s', (_, change, decision) => {
  expect(decideRole({ ...facts, ...change })).toBe(decision);
});
