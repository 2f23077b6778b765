import { describe, expect, it } from 'vitest';
import { primaryKeyValue } from '../../../src/model/primary-key-value.ts';

describe('the primary key of a document', () => {
  it.each([
    [{ id: 7 }, 'id', 7],
    [{ 'a.id': 7, a: { id: 8 } }, 'a.id', 7],
    [{ a: { id: 7 } }, 'a.id', 7],
    [{ a: { 'b.id': 7 } }, 'a.b.id', 7],
    [{ a: [{ other: 1 }, { id: 7 }] }, 'a.id', 7],
    [{ a: 'text' }, 'a.id', undefined],
    [{ other: 7 }, 'id', undefined],
    [null, 'id', undefined],
  ])('%j has at %s %s', (document, path, expected) => {
    expect(primaryKeyValue(document, path)).toBe(expected);
  });
});
