/** The single log stream of an instance. */
import { expect, it } from 'vitest';
import { LogTap, requireLevels } from '../../../../src/ipc/connection/log-tap.ts';
import { createLogger } from '../../../../src/observability/logger.ts';

it('is one at a time, and free again when it is closed or its front is gone', () => {
  const log = createLogger({ level: 'off', mode: 'JSON', name: 'indexer' });
  const tap = new LogTap<string>(log);
  const heard: string[] = [];
  const open = (owner: string) =>
    tap.open(owner, requireLevels('info'), ({ msg }) => heard.push(`${owner}: ${msg}`));
  open('a');
  log.info('one');
  expect(() => open('b')).toThrow(/being streamed already/);
  tap.forget('b');
  log.info('two');
  expect(tap.close()).toBe('a');
  expect(tap.close()).toBeNull();
  log.info('unheard');
  open('b');
  log.info('three');
  tap.forget('b');
  log.info('unheard');
  expect(heard).toEqual(['a: one', 'a: two', 'b: three']);
});

it('refuses levels that are none, and names what is allowed', () => {
  expect(() => requireLevels('loud')).toThrow(/`loud`.*`warn`.*http=debug/);
});
