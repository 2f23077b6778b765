/**
 * Member names met in documents, as a tree that knows which paths have columns. Members mostly come in the order they came in
 * before, so the member that followed last time is tried first and no string is made for it.
 */

import { encodeUtf8 } from '../bytes/utf8.ts';
import { ByteBuffer } from '../json/byte-buffer.ts';
import { stringEquals, stringText } from '../json/json-string.ts';
import type { JsonTape } from '../json/json-tape.ts';
import { ColumnBuilder } from './column-builder.ts';

/** Which paths get a column. */
export interface ColumnRules {
  /** The path has a column. */
  covers(path: string): boolean;
  /** Some path below this one may have a column. */
  leadsTo(path: string): boolean;
  /** `_geo` gets points. */
  readonly hasGeo: boolean;
  /** `_geojson` gets shapes. */
  readonly hasShapes: boolean;
}

export class PathNode {
  readonly name: string;
  readonly nameBytes: Uint8Array;
  readonly path: string;
  readonly column: ColumnBuilder | null;
  readonly leadsOn: boolean;
  readonly children = new Map<string, PathNode>();
  firstChild: PathNode | null = null;
  /** The sibling that came after this one last time. */
  follower: PathNode | null = null;

  constructor(name: string, path: string, column: ColumnBuilder | null, leadsOn: boolean) {
    this.name = name;
    this.nameBytes = encodeUtf8(name);
    this.path = path;
    this.column = column;
    this.leadsOn = leadsOn;
  }
}

const scratch = new ByteBuffer();

export class PathTree {
  readonly root = new PathNode('', '', null, true);
  /** By path: `a` → `b` and a literal `a.b` share one. */
  readonly columns = new Map<string, ColumnBuilder>();
  readonly #rules: ColumnRules;

  /** @param known paths that get their column even when no document has them */
  constructor(rules: ColumnRules, known: readonly string[]) {
    this.#rules = rules;
    for (const path of known) if (rules.covers(path)) this.#column(path);
  }

  /** The child of `parent` named by the key node; `before` is the member before it in the same object, or null. */
  child(parent: PathNode, before: PathNode | null, tape: JsonTape, key: number): PathNode {
    const guess = before === null ? parent.firstChild : before.follower;
    if (guess !== null && stringEquals(tape, key, guess.nameBytes, scratch)) return guess;
    const name = stringText(tape, key);
    let node = parent.children.get(name);
    if (node === undefined) {
      node = this.#node(name, parent === this.root ? name : `${parent.path}.${name}`);
      parent.children.set(name, node);
    }
    if (before === null) parent.firstChild = node;
    else before.follower = node;
    return node;
  }

  #node(name: string, path: string): PathNode {
    const column = this.#rules.covers(path) ? this.#column(path) : null;
    return new PathNode(name, path, column, this.#rules.leadsTo(path));
  }

  #column(path: string): ColumnBuilder {
    let column = this.columns.get(path);
    if (column === undefined) {
      column = new ColumnBuilder(path);
      this.columns.set(path, column);
    }
    return column;
  }
}
