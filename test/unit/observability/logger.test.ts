/** Log lines: levels, both forms, errors with their stack, and secrets that never appear. */
import { describe, expect, it } from 'vitest';
import { parseLogLevels } from '../../../src/observability/log-levels.ts';
import { createLogger, type LogLine, type LogTarget } from '../../../src/observability/logger.ts';

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
    expect(lines[0]).toContain('ERROR front: request failed\n  TypeError: boom\n      at ');
  });

  it('shows control characters of requests as escapes, so that they forge no line', () => {
    const { log, lines } = collect();
    const forged =
      '\n2026-01-01T00:00:00Z INFO  front: key created\u001b[2J\u0007\u007f\u009b1m\u2028\u202e';
    log.warn({ path: `/indexes/${forged}`, list: [forged] }, `slow request ${forged}`);
    log.error({ err: new TypeError(forged) }, 'request failed');
    const shown =
      '\\n2026-01-01T00:00:00Z INFO  front: key created\\u001b[2J\\u0007\\u007f\\u009b1m\\u2028\\u202e';
    expect(lines[0]).toContain(`slow request ${shown} path=/indexes/${shown} list=[`);
    expect(lines[0]?.match(/\n/g)).toHaveLength(1);
    expect(lines[1]).not.toMatch(/\n2026/);
    for (const line of lines)
      expect(line.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
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

  it('gives parts levels of their own, and changes them while it runs', () => {
    const { log, lines } = collect({ level: 'info,http=debug,search=off' });
    const [http, search] = [log.for('http'), log.for('search')];
    const writeAll = () => {
      for (const each of [log, http, search]) each.debug('quiet');
      for (const each of [log, http, search]) each.warn('loud');
      return lines.splice(0).map((line) => line.replace(/^\S+ /, '').trim());
    };
    expect(writeAll()).toEqual([
      'DEBUG front/http: quiet',
      'WARN  front: loud',
      'WARN  front/http: loud',
    ]);
    expect([http, search].map((each) => each.isLevelEnabled('debug'))).toEqual([true, false]);
    log.setLevels(parseLogLevels('search=debug') ?? fail());
    expect(writeAll()).toEqual(['DEBUG front/search: quiet', 'WARN  front/search: loud']);
  });

  it('lets others listen at levels of their own until they leave', () => {
    const { log, lines } = collect({ level: 'warn', mode: 'JSON' });
    const heard: LogLine[] = [];
    const leave = log.listen(parseLogLevels('http=trace') ?? fail(), (line) => heard.push(line));
    log.for('http').trace({ n: 1 }, 'fine');
    log.warn('coarse');
    leave();
    log.for('http').trace('unheard');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['coarse']);
    expect(heard).toMatchObject([{ level: 'TRACE', part: 'http', msg: 'fine', n: 1 }]);
    expect(log.for('http').isLevelEnabled('trace')).toBe(false);
  });
});

it.each(['', 'loud', 'http=loud', 'a b=info', '=info', 'info,'])('`%s` names no levels', (text) =>
  expect(parseLogLevels(text)).toBeNull(),
);

function fail(): never {
  throw new Error('no levels');
}
