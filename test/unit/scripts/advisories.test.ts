/** Reports of `npm audit`: vulnerabilities fail, and so does a registry that answers nothing. */
import { expect, it } from 'vitest';
import { verdictOf } from '../../../scripts/lib/advisories.mjs';

const report = (vulnerabilities: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({
    vulnerabilities,
    metadata: {
      vulnerabilities: { total: Object.keys(vulnerabilities).length },
      dependencies: { total: 12 },
    },
  });

it('passes without vulnerabilities', () => {
  expect(verdictOf(report({}))).toEqual({
    code: 0,
    lines: ['No known vulnerabilities in 12 packages.'],
  });
});

it('fails with a line for each vulnerable package', () => {
  const text = report({
    b: { name: 'b', severity: 'low', range: '*', fixAvailable: false },
    a: { name: 'a', severity: 'high', range: '<2.0.0', fixAvailable: true },
  });
  expect(verdictOf(text)).toEqual({
    code: 1,
    lines: ['high: a <2.0.0, an update fixes it', 'low: b *'],
  });
});

it.each([
  '',
  'not JSON',
  JSON.stringify({ message: '405 Method Not Allowed', statusCode: 405 }),
  JSON.stringify({ error: { code: 'ENOAUDIT' } }),
])('takes no answer for no vulnerabilities: %s', (text) => {
  const { code, lines } = verdictOf(text);
  expect(code).toBe(2);
  expect(lines.join(' ')).toMatch(/does not answer .* Nothing was checked/);
});
