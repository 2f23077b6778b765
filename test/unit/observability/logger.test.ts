/** Log lines: levels, both forms, errors with their stack, and secrets that never appear. */
import { describe, expect, it } from 'vitest';
import { createLogger, type LogTarget } from '../../../src/observability/logger.ts';

function collect(target: Partial<LogTarget> = {}) {
  const lines: string[] = [];
  const log = createLogger({
    level: 'INFO',
    mode: 'HUMAN',
    name: 'front',
    write: (line) => lines.push(line),
    ...target,
  });
  return { log, lines };
}

describe('createLogger', () => {
  it('writes one readable line with time, level, part, message and fields', () => {
    const { log, lines } = collect();
    log.warn({ route: 'search.post', ms: 12, list: [1] }, 'slow request');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z WARN {2}front: slow request route=search\.post ms=12 list=\[1\]\n$/,
    );
  });

  it('writes JSON when asked', () => {
    const { log, lines } = collect({ mode: 'JSON' });
    log.info({ uid: 3 }, 'done');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'INFO', msg: 'done', uid: 3 });
  });

  it('shows the stack of an error', () => {
    const { log, lines } = collect();
    log.error({ err: new TypeError('boom') }, 'request failed');
    expect(lines[0]).toContain('ERROR front: request failed\nTypeError: boom\n    at ');
  });

  it.each([
    ['OFF', 0],
    ['ERROR', 1],
    ['WARN', 2],
    ['INFO', 3],
    ['DEBUG', 4],
    ['TRACE', 5],
  ] as const)('at %s lets %i levels through', (level, count) => {
    const { log, lines } = collect({ level });
    for (const method of ['error', 'warn', 'info', 'debug', 'trace'] as const) log[method]('x');
    expect(lines).toHaveLength(count);
  });

  it('never writes a secret', () => {
    const { log, lines } = collect({ mode: 'JSON' });
    log.info(
      {
        masterKey: 'hush1',
        config: { masterKey: 'hush2' },
        request: { headers: { authorization: 'hush3' } },
      },
      'x',
    );
    expect(lines[0]).not.toContain('hush');
    expect(lines[0]).toContain('[redacted]');
  });
});
