/** Messages about a server that cannot be reached. */
import { expect, it } from 'vitest';
import { toStartFailure } from '../../../src/runtime/start-failure.ts';

it.each([
  ['EADDRINUSE', 'address a:1 is in use; choose another with `--http-addr`'],
  ['EACCES', 'no permission to listen on address a:1; see `--http-addr`'],
  ['EADDRNOTAVAIL', 'address a:1 is not an address of this machine; see `--http-addr`'],
  ['EMFILE', 'cannot listen on address a:1: EMFILE; see `--http-addr`'],
])('a failed listen says what %s means', (code, message) => {
  const error = Object.assign(new Error(code), { code });
  expect(toStartFailure(error, 'address a:1', '--http-addr').message).toBe(message);
});
