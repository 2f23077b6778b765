/** The syntax tree of a filter: conditions joined by AND, OR and NOT. */

export type ComparisonOperator = '<' | '<=' | '>' | '>=';
export type Mark = 'EXISTS' | 'IS NULL' | 'IS EMPTY';
export type TextOperator = 'CONTAINS' | 'STARTS WITH';

export interface Coordinates {
  readonly lat: number;
  readonly lng: number;
}

interface OnAttribute {
  readonly attribute: string;
  /** Column of the attribute in the text, from 1. */
  readonly column: number;
}

/** `=` and `IN`: one of the values; `!=`: none of them. */
export interface ValuesCondition extends OnAttribute {
  readonly kind: 'values';
  readonly operator: '=' | '!=' | 'IN';
  readonly values: readonly string[];
}

export type AttributeCondition =
  | ValuesCondition
  | (OnAttribute & {
      readonly kind: 'comparison';
      readonly operator: ComparisonOperator;
      readonly value: string;
    })
  | (OnAttribute & { readonly kind: 'range'; readonly from: string; readonly to: string })
  | (OnAttribute & { readonly kind: 'mark'; readonly mark: Mark })
  | (OnAttribute & {
      readonly kind: 'text';
      readonly operator: TextOperator;
      readonly value: string;
    });

export type GeoCondition =
  | {
      readonly kind: 'radius';
      readonly column: number;
      readonly center: Coordinates;
      readonly metres: number;
      /** Corners of the polygon that approximates the circle when it is compared with shapes. */
      readonly resolution: number;
    }
  | {
      readonly kind: 'box';
      readonly column: number;
      readonly north: number;
      readonly south: number;
      /** Greater than `east` if the box crosses the antimeridian. */
      readonly west: number;
      readonly east: number;
    }
  | { readonly kind: 'polygon'; readonly column: number; readonly corners: readonly Coordinates[] };

/** Kinds of vectors that `_vectors` selects by origin. */
export type VectorsAspect = 'userProvided' | 'documentTemplate' | 'regenerate';

export interface VectorsCondition {
  readonly kind: 'vectors';
  readonly column: number;
  /** null = any embedder. */
  readonly embedder: string | null;
  /** null = any vectors. */
  readonly aspect: VectorsAspect | { readonly fragment: string } | null;
}

/** A condition on documents of another index that the attribute's values reference. */
export interface ForeignCondition extends OnAttribute {
  readonly kind: 'foreign';
  readonly filter: FilterNode;
  readonly filterText: string;
  /** Offset behind the condition in its text. */
  readonly end: number;
}

export type FilterNode =
  | { readonly kind: 'and'; readonly children: readonly FilterNode[] }
  | { readonly kind: 'or'; readonly children: readonly FilterNode[] }
  | { readonly kind: 'not'; readonly child: FilterNode }
  | AttributeCondition
  | GeoCondition
  | VectorsCondition
  | ForeignCondition;

export const isGeoCondition = (node: FilterNode): node is GeoCondition =>
  node.kind === 'radius' || node.kind === 'box' || node.kind === 'polygon';

/** Experimental features that enable operators. */
export interface FilterFeatures {
  readonly containsFilter: boolean;
  readonly multimodal: boolean;
  readonly foreignKeys: boolean;
}

/** Joins conditions by AND or OR; a single one is returned unchanged. */
export function joinNodes(kind: 'and' | 'or', nodes: readonly FilterNode[]): FilterNode {
  const children = joinValues(kind, nodes);
  const [first] = children;
  if (first !== undefined && children.length === 1) return first;
  return kind === 'and' ? { kind, children } : { kind, children };
}

/**
 * By OR, `a = 1` and `a = 2` become `a IN [1, 2]`; by AND, `a != 1` and `a != 2` become "none of
 * the two".
 */
function joinValues(kind: 'and' | 'or', nodes: readonly FilterNode[]): FilterNode[] {
  const lists = new Map<string, string[]>();
  const children: FilterNode[] = [];
  for (const node of nodes) {
    if (node.kind !== 'values' || (kind === 'and') !== (node.operator === '!=')) {
      children.push(node);
      continue;
    }
    const list = lists.get(node.attribute);
    if (list === undefined) {
      const values = [...node.values];
      lists.set(node.attribute, values);
      children.push({ ...node, values } satisfies ValuesCondition);
    } else {
      for (const value of node.values) list.push(value);
    }
  }
  return children;
}
