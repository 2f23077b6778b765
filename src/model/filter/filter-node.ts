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
