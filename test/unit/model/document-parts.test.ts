/** Parts of a file hold each document once, for any part size and any chunk size. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inLinesOfFile, partsOfDocuments } from '../../../src/model/document-parts.ts';
import type { UploadFormat } from '../../../src/model/upload.ts';

async function* chunksOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function partsOf(
  text: string,
  format: UploadFormat,
  { partBytes = 1, chunk = 7, from = 0 } = {},
): Promise<{ text: string; end: number }[]> {
  const parts = [];
  for await (const { bytes, end } of partsOfDocuments(
    chunksOf(text, chunk),
    format,
    partBytes,
    from,
  ))
    parts.push({ text: Buffer.from(bytes).toString(), end });
  return parts;
}

const anyText = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '[', '{', ']', '}', ',', '\n', 'é', ' '),
});
const documents = fc.array(fc.record({ id: fc.nat(), t: anyText, l: fc.array(anyText) }), {
  minLength: 1,
  maxLength: 12,
});
const sizes = fc.record({
  partBytes: fc.integer({ min: 1, max: 200 }),
  chunk: fc.integer({ min: 1, max: 50 }),
});

describe('parts of a file', () => {
  it('hold the documents of an array, in order', async () => {
    await fc.assert(
      fc.asyncProperty(documents, sizes, fc.constantFrom(0, 2), async (list, size, indent) => {
        const parts = await partsOf(JSON.stringify(list, null, indent), 'json', size);
        expect(parts.flatMap(({ text }) => JSON.parse(text) as unknown[])).toEqual(list);
      }),
    );
  });

  it('hold the lines of NDJSON, in order', async () => {
    await fc.assert(
      fc.asyncProperty(documents, sizes, fc.boolean(), async (list, size, endsLine) => {
        const text =
          list.map((document) => JSON.stringify(document)).join('\n') + (endsLine ? '\n' : '');
        const parts = await partsOf(text, 'ndjson', size);
        expect(parts.map((part) => part.text).join('')).toBe(text);
        for (const part of parts)
          for (const line of part.text.trim().split('\n'))
            expect(() => JSON.parse(line)).not.toThrow();
      }),
    );
  });

  it('of CSV each start with the header and end with a complete record', async () => {
    const records = ['1,"a\nb"', '2,"say ""no"""', '3,plain', '4,"x,\ny"'];
    const parts = await partsOf(`id,t\n${records.join('\n')}\n`, 'csv');
    expect(parts.map(({ text }) => text)).toEqual(records.map((record) => `id,t\n${record}\n`));
  });

  it('do not split a single object', async () => {
    const text = '{"id": 1, "l": [1, 2], "o": {"a": 1, "b": 2}}';
    expect((await partsOf(text, 'json')).map((part) => part.text)).toEqual([text]);
  });

  it.each(['[]', ' [ ] ', ''])('are one or none for %j', async (text) => {
    const parts = await partsOf(text, 'json');
    expect(parts.flatMap((part) => JSON.parse(part.text) as unknown[])).toEqual([]);
  });

  it('resume after any part with the same boundaries', async () => {
    const texts: readonly (readonly [UploadFormat, string])[] = [
      ['json', JSON.stringify(Array.from({ length: 9 }, (_, id) => ({ id })))],
      ['ndjson', Array.from({ length: 9 }, (_, id) => `{"id":${id}}\n`).join('')],
      ['csv', `id\n${Array.from({ length: 9 }, (_, id) => `${id}\n`).join('')}`],
    ];
    for (const [format, text] of texts) {
      const all = await partsOf(text, format, { partBytes: 20 });
      for (const [i, { end }] of all.entries())
        expect(await partsOf(text, format, { partBytes: 20, from: end })).toEqual(all.slice(i + 1));
    }
  });

  it('resume after any part with parts of another size', async () => {
    const text = Array.from({ length: 9 }, (_, id) => `{"id":${id}}\n`).join('');
    for (const { end } of await partsOf(text, 'ndjson', { partBytes: 1 })) {
      const rest = await partsOf(text, 'ndjson', { partBytes: 30, from: end });
      expect(rest.map((part) => part.text).join('')).toBe(text.slice(end));
    }
  });

  it.each<[UploadFormat, string, string]>([
    ['ndjson', '{"id":1}\n\n{"id":2}\n{"id":3}', '{"id":3}'],
    ['csv', 'id,t\n1,"a\nb"\n2,c\n3,mark', 'mark'],
    ['json', '[\n{"id":1},\n\n{"id":2},\n{"id":3}\n]', '{"id":3}'],
  ])('name the line of the file in errors: %s', async (format, text, wanted) => {
    const lineOf = (whole: string) => whole.slice(0, whole.indexOf(wanted)).split('\n').length;
    let found = '';
    for await (const part of partsOfDocuments(chunksOf(text, 5), format, 1)) {
      const own = Buffer.from(part.bytes).toString();
      const error = `Wrong (line ${lineOf(own)}, column 9, byte 17)`;
      if (own.includes(wanted)) found = inLinesOfFile(error, part);
    }
    expect(found).toBe(`Wrong (line ${lineOf(text)} of the file, column 9)`);
  });
});
