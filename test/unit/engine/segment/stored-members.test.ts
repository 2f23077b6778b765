/**
 * Goal: chosen members of stored documents are those that a projection of the whole document shows,
 * however documents are stored. Method: random documents with long and short values, new, merged,
 * and as files of releases without skips have them.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteBuffer } from '../../../../src/engine/bytes/byte-buffer.ts';
import { MemberNames } from '../../../../src/engine/json/member-names.ts';
import { compileSelection, projectDocument } from '../../../../src/engine/json/project-document.ts';
import { skipsOf } from '../../../../src/engine/segment/member-skips.ts';
import {
  type StoredDocumentSections,
  StoredDocuments,
  StoredDocumentsWriter,
} from '../../../../src/engine/segment/stored-documents.ts';

type Json = Readonly<Record<string, unknown>>;

const utf8 = new TextEncoder();
const text = new TextDecoder();
const jsonOf = (document: Json): Uint8Array => utf8.encode(JSON.stringify(document));

const NAMES = ['id', 'title', 'body', 'list', 'a.b', 'a', 'é"\\'];
const value = fc.oneof(
  fc.integer(),
  fc.constantFrom(true, null, 1.5, '', [], {}),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc
    .record({ part: fc.constantFrom('word, ', '\\"}', '€{[', 'x'), count: fc.nat(1500) })
    .map(({ part, count }) => part.repeat(count)),
  fc.array(fc.record({ 'k"': fc.string(), n: fc.integer() }), { maxLength: 80 }),
);
const document = fc
  .tuple(fc.dictionary(fc.constantFrom(...NAMES), value), fc.array(value, { maxLength: 3 }))
  .map(([members, others]): Json => {
    const all = Object.entries(members);
    for (const [i, other] of others.entries()) all.splice(i * 2, 0, [`other${i}`, other]);
    return Object.fromEntries(all);
  });
const documents = fc.array(document, { minLength: 1, maxLength: 40 });
const chosen = fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1 });

/** Enough text that a table is learnt. */
const filling = Array.from({ length: 400 }, (_, i) => ({
  id: i,
  body: `document number ${i} says "word, word" in ${'many, many '.repeat(30)}words`,
  title: `title ${i * 7}`,
}));

function write(all: readonly Json[]): StoredDocumentSections {
  const writer = new StoredDocumentsWriter();
  for (const one of all) writer.add(jsonOf(one));
  return writer.finish();
}

function expectMembers(stored: StoredDocuments, all: readonly Json[], names: readonly string[]) {
  const members = new MemberNames(names);
  for (const [rank, one] of all.entries()) {
    const out = new ByteBuffer();
    out.pushText('before');
    stored.readMembers(rank, members, members.countIn(Object.keys(one)), out);
    // As paths, names with dots would lead through other members.
    const kept = Object.keys(one).filter((key) => names.includes(key) || isBefore(key, names));
    const expected = Object.fromEntries(kept.map((key) => [key, one[key]]));
    expect(text.decode(out.view())).toBe(`before${JSON.stringify(expected)}`);
  }
}

const isBefore = (key: string, names: readonly string[]): boolean =>
  names.some((name) => name.startsWith(`${key}.`));

describe('members of stored documents', () => {
  it('are those of the documents, in their order', () => {
    fc.assert(
      fc.property(documents, chosen, (some, names) => {
        expectMembers(new StoredDocuments(write(some)), some, names);
        const all = [...filling, ...some];
        const sections = write(all);
        expect(sections.skips).not.toBeNull();
        expectMembers(new StoredDocuments(sections), all, names);
      }),
      { numRuns: 8 },
    );
  });

  it('are the same in copies of segments, with skips and from files without them', () => {
    fc.assert(
      fc.property(documents, chosen, (some, names) => {
        const all = [...filling, ...some];
        const sections = write(all);
        for (const skips of [sections.skips, null]) {
          const old = new StoredDocuments({ ...sections, skips });
          expectMembers(old, all, names);
          const copy = new StoredDocumentsWriter();
          copy.useTable(old.table!);
          for (const rank of all.keys()) copy.addCopy(old, rank);
          expect(copy.finish()).toEqual(sections);
        }
      }),
      { numRuns: 3 },
    );
  });

  it('show what a projection of the document shows', () => {
    const one = { id: 1, body: 'x'.repeat(5000), a: { b: 1, c: 'y'.repeat(700) }, 'a.b': 2, z: 3 };
    const all = [...filling, one];
    const stored = new StoredDocuments(write(all));
    const paths = ['a.b', 'z'];
    const members = new MemberNames(paths);
    const out = new ByteBuffer();
    const count = members.countIn(Object.keys(one));
    stored.readMembers(filling.length, members, count, out);
    const selection = compileSelection(paths);
    expect(text.decode(projectDocument(out.view(), selection))).toBe(
      text.decode(projectDocument(jsonOf(one), selection)),
    );
  });

  it('are found behind a long value without its codes', () => {
    const one = { id: 1, body: 'lorem ipsum dolor sit amet '.repeat(4000), title: 'the end' };
    const sections = write([...filling, one]);
    const stored = new StoredDocuments(sections);
    const codes = stored.codes(filling.length);
    // Codes of the body stand for other text now.
    codes.fill(codes.at(-1)!, 200, codes.length - 100);
    const names = new MemberNames(['id', 'title']);
    const out = new ByteBuffer();
    stored.readMembers(filling.length, names, 2, out);
    expect(text.decode(out.view())).toBe('{"id":1,"title":"the end"}');
  });

  it('have no skips where no member follows a long value', () => {
    const { skips } = write(
      filling.map(({ id, title, body }) => ({ id, title, body: body + body })),
    );
    expect(skips).toEqual({
      storedSkips: new Uint8Array(0),
      storedSkipOffsets: new Uint32Array(0),
    });
  });

  it('are refused by a check when a skip leads elsewhere', () => {
    const one = { body: 'lorem ipsum '.repeat(400), title: 'the end' };
    const sections = write([...filling, one]);
    const rank = filling.length;
    const stored = new StoredDocuments(sections);
    expect(stored.hasValidSkips(rank)).toBe(true);
    const own = skipsOf(jsonOf(one), stored.codes(rank), stored.table!).slice();
    const { storedSkips } = sections.skips!;
    const at = storedSkips.length - own.length;
    expect(storedSkips.subarray(at)).toEqual(own);
    storedSkips[at]! ^= 1;
    expect(stored.hasValidSkips(rank)).toBe(false);
  });
});
