/** A search rule as a form edits it, and the body that saves it. Pure. */
import type { FilterValue, RuleAction, SearchRule } from '../../model/search-rule.ts';

export interface RuleDraft {
  readonly uid: string;
  readonly description: string;
  readonly isActive: boolean;
  readonly precedence: number | null;
  readonly queryIs: 'any' | 'empty' | 'notEmpty' | 'words';
  readonly words: string;
  /** RFC 3339 or empty. */
  readonly start: string;
  readonly end: string;
  readonly filters: readonly { readonly field: string; readonly values: readonly FilterValue[] }[];
  readonly documents: readonly RuledDocument[];
}

export interface RuledDocument {
  /** Empty = every index that has the document. */
  readonly indexUid: string;
  readonly id: string;
  /** From 1, as people count; null = hidden. */
  readonly place: number | null;
}

export const EMPTY_RULE: RuleDraft = {
  uid: '',
  description: '',
  isActive: true,
  precedence: null,
  queryIs: 'any',
  words: '',
  start: '',
  end: '',
  filters: [],
  documents: [],
};

export function draftOfRule(rule: SearchRule): RuleDraft {
  const { time = {}, query = {}, filter } = rule.conditions;
  const { isEmpty, words } = query;
  return {
    uid: rule.uid,
    description: rule.description ?? '',
    isActive: rule.active,
    precedence: rule.precedence ?? null,
    queryIs: words !== undefined ? 'words' : queryIsOf(isEmpty),
    words: words ?? '',
    start: time.start ?? '',
    end: time.end ?? '',
    filters: Object.entries(filter?.values ?? {}).map(([field, values]) => ({
      field,
      values: Array.isArray(values) ? values : [values as FilterValue],
    })),
    documents: rule.actions.map(({ selector: { indexUid = '', id }, action }) => ({
      indexUid,
      id,
      place: action.type === 'pin' ? action.position + 1 : null,
    })),
  };
}

const queryIsOf = (isEmpty: boolean | undefined): RuleDraft['queryIs'] =>
  isEmpty === undefined ? 'any' : isEmpty ? 'empty' : 'notEmpty';

/** The body of `PATCH /dynamic-search-rules/:uid`. */
export function bodyOfRule(draft: RuleDraft) {
  const { description, isActive, precedence, documents } = draft;
  const actions: readonly RuleAction[] = documents.map(({ indexUid, id, place }) => ({
    selector: { ...(indexUid !== '' && { indexUid }), id },
    action: place === null ? { type: 'hide' } : { type: 'pin', position: place - 1 },
  }));
  return {
    description: description === '' ? null : description,
    active: isActive,
    precedence,
    conditions: conditionsOfDraft(draft),
    actions,
  };
}

function conditionsOfDraft({ queryIs, words, start, end, filters }: RuleDraft) {
  const time = { ...(start !== '' && { start }), ...(end !== '' && { end }) };
  const query = queryIs === 'words' ? { words } : { isEmpty: queryIs === 'empty' };
  const values = Object.fromEntries(
    filters.map(({ field, values: given }) => [field, given.length === 1 ? given[0] : given]),
  );
  return {
    ...(Object.keys(time).length > 0 && { time }),
    ...(queryIs !== 'any' && { query }),
    ...(filters.length > 0 && { filter: { values } }),
  };
}

/** Numbers and booleans as such, all else as text. */
export function filterValuesOf(text: string): readonly FilterValue[] {
  const values = text.split(',').map((value) => value.trim());
  return values
    .filter((value) => value !== '')
    .map((value) => {
      if (value === 'true' || value === 'false') return value === 'true';
      return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
    });
}

/** When the rule acts, as a sentence. */
export function conditionSentence({ queryIs, words, start, end, filters }: RuleDraft): string {
  const parts = [
    {
      any: '',
      empty: 'the query is empty',
      notEmpty: 'the query is not empty',
      words: `the query has “${words}”`,
    }[queryIs],
    ...filters.map(({ field, values }) => `the filter asks for ${field} = ${values.join(' or ')}`),
    start === '' ? '' : `from ${start}`,
    end === '' ? '' : `until ${end}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'Always' : `When ${parts.join(', and ')}`;
}
