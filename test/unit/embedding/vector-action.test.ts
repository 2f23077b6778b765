/** Effects of a document write on its vectors, by the sentences of the specification. */
import { describe, expect, it } from 'vitest';
import { vectorAction } from '../../../src/embedding/vector-action.ts';

describe('an embedder that makes vectors', () => {
  it('makes them for documents that say nothing, and again when these change', () => {
    expect(vectorAction('nothing', 'none', false)).toBe('generate');
    expect(vectorAction('nothing', 'generated', false)).toBe('generate');
  });

  it('leaves alone those that came with a document, and documents that opted out', () => {
    for (const given of ['nothing', 'keep'] as const)
      expect(vectorAction(given, 'given', false)).toBe('keep');
    expect(vectorAction('nothing', 'optedOut', false)).toBe('keep');
  });

  it('makes none, then or later, for a new document with `regenerate: false` alone', () => {
    expect(vectorAction('keep', 'none', false)).toBe('drop');
    expect(vectorAction('nothing', 'optedOut', false)).toBe('keep');
  });

  it('does not heed `regenerate: false` alone where it made the vectors', () => {
    expect(vectorAction('keep', 'generated', false)).toBe('generate');
  });

  it('regenerates them for `regenerate: true`', () => {
    for (const stored of ['none', 'optedOut', 'given', 'generated'] as const)
      expect(vectorAction('regenerate', stored, false)).toBe('generate');
  });
});

describe('an embedder that is userProvided', () => {
  it('refuses documents that neither bring nor have vectors, and do not opt out', () => {
    for (const given of ['nothing', 'regenerate'] as const)
      expect(vectorAction(given, 'none', true)).toBe('refuse');
    expect(vectorAction('nothing', 'given', true)).toBe('keep');
    expect(vectorAction('noVectors', 'none', true)).toBe('drop');
  });

  it('keeps vectors that regenerate, with the same text or `regenerate: false` alone', () => {
    for (const given of ['nothing', 'regenerate'] as const)
      expect(vectorAction(given, 'generated', true)).toBe('keepForText');
    expect(vectorAction('keep', 'generated', true)).toBe('keep');
  });
});

it.each([true, false])(
  'vectors of the document count, whatever was there: %s',
  (isUserProvided) => {
    for (const stored of ['none', 'optedOut', 'given', 'generated'] as const) {
      expect(vectorAction('vectors', stored, isUserProvided)).toBe('store');
      expect(vectorAction('noVectors', stored, isUserProvided)).toBe('drop');
    }
  },
);
