/**
 * Refuses filters on attributes, and operators, that the settings do not allow (relevance.md 5.4).
 */

import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';
import { getOrCompute } from '../../core/get-or-compute.ts';
import type { FilterClock } from '../../model/filter/filter-clock.ts';
import {
  type AttributeCondition,
  type FilterNode,
  type ForeignCondition,
  type GeoCondition,
  isGeoCondition,
  type VectorsCondition,
} from '../../model/filter/filter-node.ts';
import {
  errorInForeign,
  foreignIndexMissing,
  requireForeignKey,
} from '../../model/filter/foreign-refusals.ts';
import type { Settings } from '../../model/settings.ts';
import { type ForeignIndexes, NO_FOREIGN_INDEXES } from '../snapshot/foreign-indexes.ts';
import {
  allowsFilter,
  availablePatterns,
  type FieldSource,
  fieldRefusal,
  filterableRule,
  hasHeldField,
  type MatchedRule,
} from './filterable-fields.ts';
import { fragmentsOf } from './vector-filter.ts';

type Condition = Exclude<FilterNode, { kind: 'and' | 'or' | 'not' }>;

interface PermissionContext {
  readonly code: ErrorCode;
  readonly clock: Pick<FilterClock, 'tick'>;
  readonly foreign: ForeignIndexes;
}

/**
 * @throws ApiError `code` for the first condition on an attribute that the settings do not allow,
 * `invalid_search_filter` for an operator, whatever the route
 */
export function checkPermissions(
  node: FilterNode,
  source: FieldSource,
  { code, clock, foreign }: PermissionContext,
): void {
  const { settings } = source.manifest;
  const rules = new Map<string, MatchedRule | null>();
  const ruleOf = (attribute: string): MatchedRule | null => {
    return getOrCompute(rules, attribute, () => filterableRule(settings, attribute));
  };
  const held = new Map<string, boolean>();
  const isHeld = (attribute: string): boolean => {
    return getOrCompute(held, attribute, () => hasHeldField(source, attribute));
  };
  const visit = (visited: FilterNode): void => {
    if (visited.kind === 'and' || visited.kind === 'or') visited.children.forEach(visit);
    else if (visited.kind === 'not') visit(visited.child);
    else check(visited);
  };
  const check = (visited: Condition): void => {
    clock.tick();
    if (isGeoCondition(visited)) checkGeo(visited, settings, code);
    else if (visited.kind === 'vectors') checkVectors(visited, settings, code);
    else if (visited.kind === 'foreign') {
      const { attribute, column } = visited;
      const joined = { kind: 'values', operator: 'IN', values: [], attribute, column } as const;
      checkForeign(visited, settings, { clock, foreign });
      checkAttribute(joined, ruleOf(attribute), settings, code);
      checkOperator(joined, ruleOf(attribute));
    } else {
      checkAttribute(visited, ruleOf(visited.attribute), settings, code);
      if (!selectsNothing(visited, isHeld)) checkOperator(visited, ruleOf(visited.attribute));
    }
  };
  visit(node);
}

function checkAttribute(
  { attribute, column }: AttributeCondition,
  rule: MatchedRule | null,
  settings: Settings,
  code: ErrorCode,
): void {
  if (rule !== null && allowsFilter(rule.features)) return;
  const problem = `The attribute \`${attribute}\` at column ${column} is not filterable.`;
  throw fieldRefusal(settings, attribute, { code, problem });
}

/** True for `IN []` and for a field that no document has, or had. */
const selectsNothing = (
  condition: AttributeCondition,
  isHeld: (attribute: string) => boolean,
): boolean =>
  (condition.kind === 'values' && condition.values.length === 0) || !isHeld(condition.attribute);

function checkOperator(condition: AttributeCondition, rule: MatchedRule | null): void {
  if (rule === null) return;
  const { equality, comparison } = rule.features.filter;
  if (isAllowed(condition, equality, comparison)) return;
  const names = [
    ...(equality ? ['=', '!=', 'IN'] : ['<', '<=', '>', '>=', 'TO']),
    'EXISTS',
    'IS NULL',
    'IS EMPTY',
  ];
  throw new ApiError(
    'invalid_search_filter',
    `The operator \`${operatorOf(condition)}\` is not allowed for the attribute \`${condition.attribute}\` at column ${condition.column}. Allowed operators: ${quoted(names)} and their negations, by the rule ${rule.index} of \`filterableAttributes\`.`,
  );
}

function isAllowed({ kind }: AttributeCondition, equality: boolean, comparison: boolean): boolean {
  if (kind === 'values') return equality;
  return kind === 'comparison' || kind === 'range' ? comparison : true;
}

function operatorOf(condition: AttributeCondition): string {
  if (condition.kind === 'range') return 'TO';
  return condition.kind === 'mark' ? condition.mark : condition.operator;
}

/** Geo filters need `_geo` or `_geojson` as a plain name; patterns do not reach them. */
function checkGeo({ kind, column }: GeoCondition, settings: Settings, code: ErrorCode): void {
  const names = kind === 'polygon' ? ['_geojson'] : ['_geo', '_geojson'];
  if (names.some((name) => settings.filterableAttributes.includes(name))) return;
  throw new ApiError(
    code,
    `The geo filter at column ${column} needs ${quoted(names, ' or ')} in \`filterableAttributes\`, by that name. ${availablePatterns(settings, allowsFilter)}`,
  );
}

/** Vectors are not filterable by settings; the embedder, and the fragment, must exist. */
function checkVectors(
  { embedder: name, aspect, column }: VectorsCondition,
  { embedders }: Settings,
  code: ErrorCode,
): void {
  if (name === null) return;
  const embedder = Object.hasOwn(embedders, name) ? embedders[name] : undefined;
  const refusal = (problem: string): ApiError =>
    new ApiError(code, `The filter \`_vectors\` at column ${column} names ${problem}.`);
  if (embedder === undefined)
    throw refusal(
      `the embedder \`${name}\`, but the index has ${listed(Object.keys(embedders), 'no embedder')}`,
    );
  if (aspect === null || typeof aspect === 'string') return;
  const fragments = fragmentsOf(embedder);
  if (!fragments.includes(aspect.fragment))
    throw refusal(
      `the fragment \`${aspect.fragment}\`, but \`${name}\` has ${listed(fragments, 'no fragment')}`,
    );
}

/**
 * The attribute must be a foreign key to an accessible index, and that index must allow the
 * condition. The codes do not depend on the route.
 */
function checkForeign(
  condition: ForeignCondition,
  settings: Settings,
  { clock, foreign }: Pick<PermissionContext, 'clock' | 'foreign'>,
): void {
  const { attribute, filter } = condition;
  requireForeignKey(condition, settings);
  const index = foreign.get(attribute);
  if (index === undefined) throw foreignIndexMissing(condition);
  const { snapshot } = index;
  try {
    const code = 'invalid_document_filter';
    checkPermissions(filter, snapshot, { code, clock, foreign: NO_FOREIGN_INDEXES });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw errorInForeign(snapshot.manifest.uid, attribute, error);
  }
}

const listed = (names: readonly string[], none: string): string =>
  names.length === 0 ? none : quoted(names);

const quoted = (names: readonly string[], separator = ', '): string =>
  names.map((name) => `\`${name}\``).join(separator);
