/** Messages of expected failures. */
import { expect, test } from 'vitest';
import { ApiError, fromWire, toWire } from '../../../src/core/errors.ts';

test('a message that names a huge value keeps its beginning and its end', () => {
  const { message } = new ApiError('bad_request', `\`a\` is \`${'x'.repeat(1e5)}\`, expected 1.`);
  expect(message.length).toBeLessThan(2010);
  expect(message).toMatch(/^`a` is `x+ … x+`, expected 1\.$/);
});

test('a message that crosses threads stays the same', () => {
  const error = new ApiError('bad_request', 'y'.repeat(3000));
  expect(fromWire(toWire(error)).message).toBe(error.message);
});

test('an expected failure captures no stack, other errors do', () => {
  expect(new ApiError('bad_request', 'one line').stack).toMatch(/^\w+: one line$/);
  expect(new Error('one line').stack).toContain('errors.test.ts');
});
