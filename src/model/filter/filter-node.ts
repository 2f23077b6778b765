/** What a filter says, once its text is understood: conditions joined by AND, OR and NOT. */

export type ComparisonOperator = '<' | '<=' | '>' | '>=';
export type Mark = 'EXISTS' | 'IS NULL' | 'IS EMPTY';
export type TextOperator = 'CONTAINS' | 'STARTS WITH';

export interface Coordinates {
  readonly lat: number;
  readonly lng: number;
}

/** A condition on the values of one attribute. */
interface OnAttribute {
  readonly attribute: string;
  /** Where the attribute stands in the text, from 1. */
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
      /** Corners of the polygon that stands for the circle when shapes are compared with it. */
      readonly resolution: number;
    }
  | {
      readonly kind: 'box';
      readonly column: number;
      readonly north: number;
      readonly south: number;
      /** Greater than `east` when the box goes over the antimeridian. */
      readonly west: number;
      readonly east: number;
    }
  | { readonly kind: 'polygon'; readonly column: number; readonly corners: readonly Coordinates[] };

/** Which vectors `_vectors` asks for besides those of any kind: who made them, and of what. */
export type VectorsAspect = 'userProvided' | 'documentTemplate' | 'regenerate';

/** On the vectors that documents have. */
export interface VectorsCondition {
  readonly kind: 'vectors';
  readonly column: number;
  /** null = of any embedder. */
  readonly embedder: string | null;
  /** null = all. */
  readonly aspect: VectorsAspect | { readonly fragment: string } | null;
}

/** On the documents of another index that the values of an attribute name. */
export interface ForeignCondition extends OnAttribute {
  readonly kind: 'foreign';
  /** Selects documents of that index. */
  readonly filter: FilterNode;
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

/** Experimental features that open operators. */
export interface FilterFeatures {
  readonly containsFilter: boolean;
  readonly multimodal: boolean;
  readonly foreignKeys: boolean;
}
