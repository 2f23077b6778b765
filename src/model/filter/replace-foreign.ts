/** Replaces the conditions on other indexes in the text of a filter. */
import { mapInParallel } from '../../core/bounded-parallel.ts';
import type { FilterForm } from './filter-form.ts';
import type { FilterNode, ForeignCondition } from './filter-node.ts';
import { FOREIGN, type ParseContext, parseExpression } from './filter-parser.ts';

const PARALLEL_CONDITIONS_MAX = 4;

/** True if the filter may have such a condition: only then it has to be parsed. */
export const mayBeForeign = (form: FilterForm): boolean =>
  [form].flat(2).some((text) => text.includes(FOREIGN));

/**
 * The filter with the replacement of each condition in its place; other parts keep their text.
 * @throws ApiError for invalid syntax, and errors of `replacementOf`
 */
export async function replaceForeign(
  form: FilterForm,
  parsing: Omit<ParseContext, 'refusal'>,
  replacementOf: (condition: ForeignCondition) => Promise<string>,
): Promise<FilterForm> {
  const lists: (readonly ForeignCondition[])[] = [];
  mapTexts(form, (text, name) => {
    lists.push(conditionsOf(text, name, parsing));
    return text;
  });
  const conditions = lists.flat();
  const texts = await mapInParallel(conditions, PARALLEL_CONDITIONS_MAX, replacementOf);
  const replacements = new Map(conditions.map((condition, i) => [condition, texts[i]]));
  const parts = lists.values();
  return mapTexts(form, (text) => {
    let out = '';
    let at = 0;
    for (const condition of parts.next().value ?? []) {
      out += text.slice(at, condition.column - 1) + replacements.get(condition);
      at = condition.end;
    }
    return out + text.slice(at);
  });
}

/** @param map gets each text, in order, with its name in errors */
function mapTexts(form: FilterForm, map: (text: string, name: string) => string): FilterForm {
  if (typeof form === 'string') return map(form, 'The filter');
  const mapped = (text: string, place: string) => map(text, `The filter \`filter${place}\``);
  return form.map((item, i) =>
    typeof item === 'string'
      ? mapped(item, `[${i}]`)
      : item.map((text, j) => mapped(text, `[${i}][${j}]`)),
  );
}

function conditionsOf(
  text: string,
  name: string,
  parsing: Omit<ParseContext, 'refusal'>,
): readonly ForeignCondition[] {
  if (!text.includes(FOREIGN)) return [];
  const context: ParseContext = { ...parsing, refusal: null };
  const node = parseExpression(text, name, context);
  if (context.refusal !== null) throw context.refusal;
  return [...foreignConditions(node)].sort((a, b) => a.column - b.column);
}

/** The conditions on other indexes, in the order of the tree. */
export function* foreignConditions(node: FilterNode): Generator<ForeignCondition> {
  if (node.kind === 'foreign') yield node;
  else if (node.kind === 'not') yield* foreignConditions(node.child);
  else if (node.kind === 'and' || node.kind === 'or')
    for (const child of node.children) yield* foreignConditions(child);
}
