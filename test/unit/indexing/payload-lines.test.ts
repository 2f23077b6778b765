/** The documents of a stored payload, line by line. */
import { expect, it } from 'vitest';
import { documentLines } from '../../../src/indexing/payload/payload-lines.ts';

async function piecesOf(text: string, format: 'json' | 'ndjson'): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of documentLines(Buffer.from(text), format))
    pieces.push(Buffer.from(piece).toString());
  return pieces;
}

it('writes each document of an array, of one object or of lines on a line of its own', async () => {
  const lines = ['{"id":1,"a":[1.50]}\n{"id":2,"b":"x y"}\n'];
  expect(await piecesOf('[ {"id": 1,\n"a": [1.50]}, {"id":2,"b":"x y"} ]', 'json')).toEqual(lines);
  expect(await piecesOf('{"id": 1, "a":[1.50]}\n\n{"id":2,\n"b":"x y"}', 'ndjson')).toEqual(lines);
  expect(await piecesOf(' {"id": 1} ', 'json')).toEqual(['{"id":1}\n']);
  expect(await piecesOf('[]', 'json')).toEqual([]);
});

it('hands a large payload on in pieces of whole lines', async () => {
  const documents = Array.from({ length: 300 }, (_, id) => ({ id, text: 'x'.repeat(1000) }));
  const pieces = await piecesOf(JSON.stringify(documents), 'json');
  expect(pieces.length).toBeGreaterThan(3);
  for (const piece of pieces) expect(piece.length).toBeLessThan(70_000);
  const lines = pieces.join('').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(documents);
});
