/** Member names seen in documents, as a tree whose nodes hold their field. */
import { JsonKind, type JsonTape } from '../../engine/json/json-tape.ts';
import { childOf, MemberNode } from '../../engine/json/member-node.ts';

export interface FieldRules {
  /** The field's text is indexed. */
  isIndexed(path: string): boolean;
  /** True if a field at or below the path is indexed. */
  leadsToIndexed(path: string): boolean;
  /** True if parts of the field's chunks are found. */
  hasChunks(path: string): boolean;
  /** Languages of the field's text, null = not restricted. */
  localesOf(path: string): readonly string[] | null;
}

/** One flattened field; shared by all nodes with the same path (`a` → `b`, and a literal `a.b`). */
export interface FieldSlot {
  readonly path: string;
  readonly isIndexed: boolean;
  readonly leadsToIndexed: boolean;
  readonly hasChunks: boolean;
  readonly locales: readonly string[] | null;
  /** Number in the segment being built, or −1. */
  field: number;
  /** Serial number of the document that `position` belongs to. */
  document: number;
  /** Running position of the field in that document. */
  position: number;
}

export class FieldNode extends MemberNode<FieldNode> {
  readonly slot: FieldSlot;

  constructor(slot: FieldSlot, name: string) {
    super(name);
    this.slot = slot;
  }
}

export class FieldTree {
  readonly root: FieldNode;
  readonly #slots = new Map<string, FieldSlot>();
  readonly #rules: FieldRules;
  readonly #create = (parent: FieldNode, name: string): FieldNode =>
    new FieldNode(this.#slot(parent === this.root ? name : `${parent.slot.path}.${name}`), name);

  constructor(rules: FieldRules) {
    this.#rules = rules;
    this.root = new FieldNode(newSlot('', rules), '');
  }

  /** Number of distinct paths seen. */
  get fieldCount(): number {
    return this.#slots.size;
  }
  paths(): string[] {
    return [...this.#slots.keys()];
  }

  /**
   * The child of `parent` named by the key node; `before` is the previous member of the same
   * object, or null.
   */
  child(parent: FieldNode, before: FieldNode | null, tape: JsonTape, key: number): FieldNode {
    return childOf(parent, before, tape, key, this.#create);
  }

  #slot(path: string): FieldSlot {
    let slot = this.#slots.get(path);
    if (slot === undefined) {
      slot = newSlot(path, this.#rules);
      this.#slots.set(path, slot);
    }
    return slot;
  }

  /** Adds every field of the tape's document. Stops once there are more than `countMax`. */
  notice(tape: JsonTape, countMax: number): void {
    if (this.#slots.size <= countMax) this.#noticeNode(tape, 0, this.root, countMax);
  }

  #noticeNode(tape: JsonTape, node: number, parent: FieldNode, countMax: number): void {
    const after = tape.next(node);
    if (tape.kind(node) === JsonKind.array) {
      for (let at = node + 1; at < after; at = tape.next(at)) {
        if (tape.kind(at) >= JsonKind.array) this.#noticeNode(tape, at, parent, countMax);
      }
      return;
    }
    let before: FieldNode | null = null;
    for (let key = node + 1; key < after; key = tape.next(key + 1)) {
      const child = this.child(parent, before, tape, key);
      before = child;
      if (this.#slots.size > countMax) return;
      if (tape.kind(key + 1) >= JsonKind.array) this.#noticeNode(tape, key + 1, child, countMax);
    }
  }
}

const newSlot = (path: string, rules: FieldRules): FieldSlot => ({
  path,
  isIndexed: rules.isIndexed(path),
  leadsToIndexed: rules.leadsToIndexed(path),
  hasChunks: rules.hasChunks(path),
  locales: rules.localesOf(path),
  field: -1,
  document: -1,
  position: 0,
});
