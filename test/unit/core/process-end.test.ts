/** Whose doing the end of a process was. */
import { expect, it } from 'vitest';
import { EXIT_STORE_FAILED, processEnd } from '../../../src/core/process-end.ts';

it.each([
  [1, null, 'own'],
  [0, null, 'own'],
  [134, null, 'own'],
  [EXIT_STORE_FAILED, null, 'outside'],
  [null, 'SIGSEGV', 'own'],
  [null, 'SIGABRT', 'own'],
  [null, 'SIGKILL', 'outside'],
  [null, 'SIGTERM', 'outside'],
  [null, null, 'outside'],
] as const)('an end with code %s and signal %s is %s', (code, signal, end) => {
  expect(processEnd(code, signal)).toBe(end);
});
