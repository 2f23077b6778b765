/** Tree of the member names found in documents, with the column of each path. */
import type { JsonTape } from '../json/json-tape.ts';
import { childOf, MemberNode } from '../json/member-node.ts';
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

export class PathNode extends MemberNode<PathNode> {
  readonly path: string;
  readonly column: ColumnBuilder | null;
  readonly leadsOn: boolean;

  constructor(name: string, path: string, column: ColumnBuilder | null, leadsOn: boolean) {
    super(name);
    this.path = path;
    this.column = column;
    this.leadsOn = leadsOn;
  }
}

export class PathTree {
  readonly root = new PathNode('', '', null, true);
  /** By path: `a` → `b` and a literal `a.b` share one. */
  readonly columns = new Map<string, ColumnBuilder>();
  readonly #rules: ColumnRules;
  readonly #create = (parent: PathNode, name: string): PathNode => {
    const path = parent === this.root ? name : `${parent.path}.${name}`;
    const column = this.#rules.covers(path) ? this.#column(path) : null;
    return new PathNode(name, path, column, this.#rules.leadsTo(path));
  };

  /** @param known paths that get a column even if no document has them */
  constructor(rules: ColumnRules, known: readonly string[]) {
    this.#rules = rules;
    for (const path of known) if (rules.covers(path)) this.#column(path);
  }

  /**
   * The child of `parent` named by the key node; `before` is the member before it in the same
   * object, or null.
   */
  child(parent: PathNode, before: PathNode | null, tape: JsonTape, key: number): PathNode {
    return childOf(parent, before, tape, key, this.#create);
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
