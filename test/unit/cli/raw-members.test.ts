/** Members and elements of JSON keep their raw text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedObject, rawElements, rawMembers } from '../../../src/cli/documents/raw-members.ts';

const nothing = { set: {}, remove: [], notes: [] };
const objects = fc.dictionary(fc.string(), fc.jsonValue());
const indents = fc.constantFrom(0, 2, '\t');

describe('text of JSON', () => {
  it('is split into the members of an object', () => {
    fc.assert(
      fc.property(objects, indents, (object, indent) => {
        const members = rawMembers(JSON.stringify(object, null, indent));
        const read = [...members].map(([name, text]) => [name, JSON.parse(text) as unknown]);
        expect(JSON.stringify(read)).toBe(JSON.stringify(Object.entries(object)));
      }),
    );
  });

  it('is split into the elements of an array', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), indents, (list, indent) => {
        const elements = [...rawElements(JSON.stringify(list, null, indent))];
        expect(JSON.stringify(elements.map((text) => JSON.parse(text) as unknown))).toBe(
          JSON.stringify(list),
        );
      }),
    );
  });

  it('is joined on one line with only the changed members replaced', () => {
    fc.assert(
      fc.property(objects, indents, (object, indent) => {
        const { a: _, ...rest } = object;
        const text = JSON.stringify(object, null, indent);
        const line = changedObject(text, { ...nothing, set: { new: 1 }, remove: ['a'] });
        expect(line).not.toMatch(/[\r\n]/);
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify({ ...rest, new: 1 })));
      }),
    );
  });

  it('keeps digits and number formats', () => {
    const text = '{"big":12345678901234567890,"one":1.0,"e":1e3}';
    expect(changedObject(text, nothing)).toBe(text);
    expect(changedObject(text, { ...nothing, set: { id: 'x' } })).toBe(
      '{"big":12345678901234567890,"one":1.0,"e":1e3,"id":"x"}',
    );
  });
});
