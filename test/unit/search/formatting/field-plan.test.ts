/** Which members a choice of fields leads to. */
import { describe, expect, it } from 'vitest';
import { FieldPlan, type FieldRules } from '../../../../src/search/formatting/field-plan.ts';

const rules: FieldRules = { formatOf: () => ({ isHighlighted: false, cropWords: 0 }), localesOf: () => null };
const planOf = (chosen: readonly string[] | null, hidden: readonly string[] = []): FieldPlan =>
  FieldPlan.ofDocument(chosen, hidden, rules);

describe('FieldPlan', () => {
  it('chooses all but hidden members of the document', () => {
    const plan = planOf(null, ['_vectors']);
    expect(plan.member('a')).toMatchObject({ path: 'a', isWhole: true });
    expect(plan.member('_vectors')).toBeNull();
    expect(plan.member('a')?.member('_vectors')).toMatchObject({ path: 'a._vectors', isWhole: true });
  });

  it('follows paths, also through names with dots', () => {
    const plan = planOf(['a.b', 'c']);
    expect(plan.member('a')).toMatchObject({ path: 'a', isWhole: false });
    expect(plan.member('a')?.member('b')).toMatchObject({ path: 'a.b', isWhole: true });
    expect(plan.member('a')?.member('x')).toBeNull();
    expect(plan.member('a.b')).toMatchObject({ path: 'a.b', isWhole: true });
    expect(plan.member('d')).toBeNull();
  });

  it('prefers a whole member to parts of it', () => {
    expect(planOf(['a.b', 'a']).member('a')?.isWhole).toBe(true);
  });
});
