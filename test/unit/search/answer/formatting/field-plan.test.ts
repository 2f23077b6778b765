/** Which members a choice of fields leads to. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../../../../src/engine/bytes/utf8.ts';
import { JsonTape } from '../../../../../src/engine/json/json-tape.ts';
import {
  type FieldFormats,
  FieldPlan,
} from '../../../../../src/search/answer/formatting/field-plan.ts';

const rules: FieldFormats = {
  formatOf: () => ({ isHighlighted: false, cropWords: 0 }),
  localesOf: () => null,
  hasParts: () => false,
  writerOf: () => null,
  isHidden: (field) => field === 'hidden',
  rankOf: () => 0,
};
const planOf = (chosen: readonly string[] | null): FieldPlan => FieldPlan.ofDocument(chosen, rules);

describe('FieldPlan', () => {
  it('chooses all members of the document', () => {
    const plan = planOf(null);
    expect(plan.member('a')).toMatchObject({ path: 'a', isWhole: true });
    expect(plan.member('a')?.member('b')).toMatchObject({ path: 'a.b', isWhole: true });
  });

  it('leaves out hidden fields of the document, also when they are chosen', () => {
    expect(planOf(null).member('hidden')).toBeNull();
    expect(planOf(['hidden']).member('hidden')).toBeNull();
    expect(planOf(null).member('a')?.member('hidden')?.path).toBe('a.hidden');
  });

  it('follows paths, also through names with dots', () => {
    const plan = planOf(['a.b', 'c']);
    expect(plan.member('a')).toMatchObject({ path: 'a', isWhole: false });
    expect(plan.member('a')?.member('b')).toMatchObject({ path: 'a.b', isWhole: true });
    expect(plan.member('a')?.member('x')).toBeNull();
    expect(plan.member('a.b')).toMatchObject({ path: 'a.b', isWhole: true });
    expect(plan.member('d')).toBeNull();
  });

  it('chooses members of a name with dots whose path is below a chosen one', () => {
    const within = planOf(['a.g']).member('a');
    expect(within?.member('g.h')).toMatchObject({ path: 'a.g.h', isWhole: true });
    expect(within?.member('g.')).toMatchObject({ path: 'a.g.', isWhole: true });
    expect(within?.member('gg.h')).toBeNull();
    expect(planOf(['a.g']).member('a.g.h')).toBeNull();
    expect(planOf(['a']).member('a.g')).toBeNull();
  });

  it('finds members by their keys, whatever members the objects before had', () => {
    const plan = planOf(['a', 'b', 'g.x', 'é']);
    const tape = new JsonTape();
    const pathsOf = (names: readonly string[]): unknown[] => {
      const utf8 = encodeUtf8(JSON.stringify(Object.fromEntries(names.map((name) => [name, 0]))));
      tape.scan(utf8, 0, utf8.length);
      return names.map((_, i) => plan.memberAt(tape, 1 + 2 * i)?.path ?? null);
    };
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'é', '"'));
    const chosen = new Set(['a', 'b', 'g', 'é']);
    fc.assert(
      fc.property(names, (own) => {
        expect(pathsOf(own)).toEqual(own.map((name) => (chosen.has(name) ? name : null)));
      }),
    );
  });

  it('prefers a whole member to parts of it', () => {
    expect(planOf(['a.b', 'a']).member('a')?.isWhole).toBe(true);
  });
});
