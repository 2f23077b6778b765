/**
 * Tests hold on a machine that is slow and has other work: they wait for conditions
 * (`test/support/until.ts`, `expect.poll`), not for time, and ask no clock whether something was quick.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const PAUSES = /\bsetTimeout\(|\bsleep\(|setTimeout as/;
const HELD_AGAINST_A_CLOCK =
  /expect\([^\n]*(?:performance\.now|Date\.now)\(\) - \w+\)\s*\.toBeLess/;
const OWN_PATIENCE = /\b(?:until|waitFor|poll)\((?:[^\n]*,)? *\d[\d_]*,|\{ ?timeout: ?\d/;
const CLIENT = /new Meilisearch\(/;

/** What a pause is for, where it is not to wait for something. */
const PAUSING: Readonly<Record<string, string>> = {
  'test/contract/http-server.contract.ts': 'bytes that come apart; a reader that rests',
  'test/crash/kill-at-points.test.ts': 'between two looks',
  'test/crash/kill-during-import.test.ts': 'kills and writes at random moments',
  'test/crash/kill-during-upgrade.test.ts': 'kills at moments all over an upgrade',
  'test/e2e/runtime.test.ts': 'kills at moments all over a start',
  'test/integration/tasks/named-files.test.ts': 'work that takes a while, at random',
  'test/support/indexer-harness.ts': 'between two looks',
  'test/support/made-embedder.ts': 'a clock that runs faster',
  'test/support/made-chat-provider.ts': 'pieces that a provider sends one after the other',
  'test/support/made-provider.ts': 'bytes that leave before the connection breaks',
  'test/support/test-server.ts': 'the end of a stop that hangs',
  'test/support/until.ts': 'between two looks',
  'test/unit/core/bounded-parallel.test.ts': 'work that takes a while',
  'test/unit/http/stream-answer.test.ts': 'nothing happens that should not',
  'test/unit/ipc/connection/indexer-connection.test.ts':
    'answers out of order; nothing happens that should not',
  'test/unit/ipc/threads/thread-pool.test.ts': 'threads that load for a while',
  'test/unit/http-client/outgoing-http.test.ts': 'a caller that gives up; a slow server',
  'test/unit/runtime/parent-watch.test.ts': 'nothing happens that should not',
  'test/unit/runtime/process-manager.test.ts': 'nothing happens that should not',
  'test/unit/tasks/file-checks.test.ts': 'what the promises of fakes lead to',
};
const CLIENTS = ['test/support/test-server.ts'];
const SELF = 'test/meta/waiting.test.ts';

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join('test', name))
  .filter((file) => file !== SELF);
const filesWith = (pattern: RegExp): string[] =>
  files.filter((file) => pattern.test(readFileSync(file, 'utf8'))).sort();

describe('tests', () => {
  it('pause only for what the table says, and wait for conditions', () => {
    expect(filesWith(PAUSES)).toEqual(Object.keys(PAUSING).sort());
  });

  it('hold nothing against a clock', () => {
    expect(filesWith(HELD_AGAINST_A_CLOCK)).toEqual([]);
  });

  it('have one patience, the official client too', () => {
    expect(filesWith(OWN_PATIENCE)).toEqual([]);
    expect(filesWith(CLIENT)).toEqual(CLIENTS);
  });
});
