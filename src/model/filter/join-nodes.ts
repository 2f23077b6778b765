/** Joins conditions by AND or OR, and combines values of one attribute into one condition. */
import type { FilterNode, ValuesCondition } from './filter-node.ts';

/** A single node is returned unchanged. */
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
