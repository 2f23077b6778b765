/** Lines cut into parts: whole lines, in order, none larger than asked for unless it is one line. */
import { expect, it } from 'vitest';
import { payloadParts } from '../../../src/export/exporter.ts';

const partsOf = (text: string, bytesMax: number): string[] =>
  [...payloadParts(Buffer.from(text), bytesMax)].map((part) => Buffer.from(part).toString());

it.each([
  ['', 10, []],
  ['aa\nbb\n', 10, ['aa\nbb\n']],
  ['aa\nbb\n', 6, ['aa\nbb\n']],
  ['aa\nbb\n', 5, ['aa\n', 'bb\n']],
  ['aa\nbb\ncc\n', 6, ['aa\nbb\n', 'cc\n']],
  ['aa\nlonger than all\nb\n', 4, ['aa\n', 'longer than all\n', 'b\n']],
  ['no end', 2, ['no end']],
] as const)('%j in parts of %i bytes', (text, bytesMax, parts) => {
  expect(partsOf(text, bytesMax)).toEqual(parts);
});
