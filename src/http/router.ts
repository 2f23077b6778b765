/** Finds the route of a method and path: a tree of path segments, literals before parameters. */

import type { Route } from '../api/contract/route.ts';
import { getOrCompute } from '../core/get-or-compute.ts';

type RouteMatch =
  | {
      readonly kind: 'found';
      readonly route: Route;
      readonly params: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'unknownPath' }
  /** `allow` is the value of the `Allow` header. */
  | { readonly kind: 'otherMethod'; readonly allow: string };

interface Node {
  readonly literals: Map<string, Node>;
  parameter: Node | null;
  readonly byMethod: Map<string, Route>;
}

const createNode = (): Node => ({ literals: new Map(), parameter: null, byMethod: new Map() });

const METHOD_ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const UNKNOWN_PATH: RouteMatch = { kind: 'unknownPath' };

/** Empty segments are ignored, and so are trailing and doubled slashes. */
const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

/** The decoded segment; a segment with invalid escapes stays unchanged. */
function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return segment;
    throw error;
  }
}

function childOf(node: Node, segment: string): Node {
  if (segment.startsWith(':')) {
    node.parameter ??= createNode();
    return node.parameter;
  }
  return getOrCompute(node.literals, segment, () => createNode());
}

export class Router {
  readonly #root = createNode();
  readonly #parameterNames = new Map<Route, readonly string[]>();

  constructor(routes: readonly Route[]) {
    for (const route of routes) this.#add(route);
  }

  match(method: string, path: string): RouteMatch {
    let node = this.#root;
    const values: string[] = [];
    for (const segment of segmentsOf(path)) {
      const text = decodeSegment(segment);
      const next = node.literals.get(text) ?? node.parameter;
      if (next === null) return UNKNOWN_PATH;
      if (next === node.parameter) values.push(text);
      node = next;
    }
    const route = node.byMethod.get(method);
    if (route !== undefined) return { kind: 'found', route, params: this.#params(route, values) };
    if (node.byMethod.size === 0) return UNKNOWN_PATH;
    return {
      kind: 'otherMethod',
      allow: METHOD_ORDER.filter((known) => node.byMethod.has(known)).join(', '),
    };
  }

  #add(route: Route): void {
    let node = this.#root;
    const segments = segmentsOf(route.path);
    for (const segment of segments) node = childOf(node, segment);
    if (node.byMethod.has(route.method))
      throw new Error(`two routes for ${route.method} ${route.path}`);
    node.byMethod.set(route.method, route);
    this.#parameterNames.set(
      route,
      segments.filter((segment) => segment.startsWith(':')).map((segment) => segment.slice(1)),
    );
  }

  #params(route: Route, values: readonly string[]): Record<string, string> {
    const params: Record<string, string> = {};
    const names = this.#parameterNames.get(route) ?? [];
    for (let i = 0; i < names.length; i++) params[names[i] ?? ''] = values[i] ?? '';
    return params;
  }
}
