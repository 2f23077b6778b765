/**
 * Naive model of a segment for tests: random documents, and every answer computed from plain maps.
 */
import fc from 'fast-check';
import { hashBytes } from '../../../../src/core/hash.ts';
import { encodeUtf8 } from '../../../../src/engine/bytes/utf8.ts';
import { CHUNK_LEAD } from '../../../../src/engine/dictionary/chunk-terms.ts';
import type { OccurrenceBuffer } from '../../../../src/engine/postings/occurrence-key.ts';
import type { SegmentFileBuilder } from '../../../support/segment-file.ts';

export interface ModelWord {
  readonly term: string;
  readonly field: string;
  readonly position: number;
}

export interface ModelDocument {
  readonly docId: number;
  readonly id: string;
  readonly json: string;
  readonly names: readonly string[];
  readonly words: readonly ModelWord[];
  /** Texts of chunks in the field `code`. */
  readonly chunks?: readonly string[];
}

export const newBuffer = (): OccurrenceBuffer => ({
  docs: new Uint32Array(0),
  keys: new Uint32Array(0),
  length: 0,
});

/** Terms used by a set of documents, in byte order. */
export function modelTerms(documents: readonly ModelDocument[]): string[] {
  const terms = new Set(documents.flatMap((document) => document.words.map((word) => word.term)));
  return [...terms].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

export function feed(builder: SegmentFileBuilder, documents: readonly ModelDocument[]): void {
  for (const document of documents) {
    builder.beginDocument(document.docId);
    for (const { term, field, position } of document.words) {
      const bytes = encodeUtf8(term);
      builder.word(
        bytes,
        bytes.length,
        hashBytes(bytes, 0, bytes.length),
        builder.fieldNumber(field),
        position,
      );
    }
    for (const [position, chunk] of (document.chunks ?? []).entries()) {
      const bytes = Uint8Array.of(CHUNK_LEAD, ...encodeUtf8(chunk));
      const hash = hashBytes(bytes, 0, bytes.length);
      builder.chunk(bytes, bytes.length, hash, builder.fieldNumber('code'), position);
    }
    builder.endDocument(encodeUtf8(document.id), encodeUtf8(document.json), document.names);
  }
}

export function joinParts(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** By term: `doc/field/position` of each occurrence, sorted. */
export function modelOccurrences(documents: readonly ModelDocument[]): Map<string, string[]> {
  const byTerm = new Map<string, string[]>();
  for (const { docId, words } of documents) {
    for (const { term, field, position } of words) {
      const list = byTerm.get(term) ?? [];
      list.push(`${docId}/${field}/${position}`);
      byTerm.set(term, list);
    }
  }
  for (const list of byTerm.values()) list.sort();
  return byTerm;
}

const FIELDS = ['id', 'title', 'overview', 'a.b', 'cast'];

const term = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('the', 'a', 'cat', 'cats', 'dog', 'été', '日本', 'ab', 'abc', 'abd'),
  },
  {
    weight: 2,
    arbitrary: fc.string({
      unit: fc.constantFrom('a', 'b', 'c', 'é', '日', '𝒳'),
      minLength: 1,
      maxLength: 6,
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .map((text) => Buffer.from(text).toString()),
  },
);

interface DraftDocument {
  readonly gap: number;
  readonly names: readonly string[];
  readonly words: readonly (readonly [string, string, number])[];
  /** Words that stand side by side. */
  readonly text: readonly string[];
}

const draft: fc.Arbitrary<DraftDocument> = fc.record({
  gap: fc.oneof(
    { weight: 5, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.nat(3) },
    { weight: 1, arbitrary: fc.nat(500) },
  ),
  names: fc.subarray(FIELDS),
  words: fc.array(
    fc.tuple(term, fc.constantFrom(...FIELDS), fc.oneof(fc.nat(40), fc.nat(65_535))),
    { maxLength: 12 },
  ),
  text: fc.array(fc.constantFrom('a', 'b', 'c', 'ab', 'bc', 'abc', 'aab', 'été', 'é', 't'), {
    maxLength: 8,
  }),
});

/** Documents with ascending DocIds; positions within a field are distinct. */
export const documentsArbitrary = (maxLength: number): fc.Arbitrary<ModelDocument[]> =>
  fc.array(draft, { maxLength, size: 'max' }).map((drafts) => {
    let docId = -1;
    return drafts.map(({ gap, names, words, text: side }, index) => {
      docId += gap + 1;
      const distinct = new Map(
        [...words, ...side.map((text, i) => [text, 'overview', 100 + i] as const)].map(
          ([text, field, position]) => [`${field}/${position}`, { term: text, field, position }],
        ),
      );
      return {
        docId,
        id: `id-${index * 7}`,
        json: JSON.stringify({ id: index, names, words }),
        names,
        words: [...distinct.values()],
      };
    });
  });

/** Each text is a document; `|` begins another field. */
export const textDocuments = (...texts: readonly string[]): ModelDocument[] =>
  texts.map((text, docId) => ({
    docId,
    id: String(docId),
    json: '{}',
    names: [],
    words: text
      .split('|')
      .flatMap((part, f) =>
        part
          .split(' ')
          .flatMap((term, position) => (term === '' ? [] : [{ term, field: `f${f}`, position }])),
      ),
  }));
