/**
 * The member names met in documents, as a tree whose nodes know their field. Names of a document are found without making
 * strings: members mostly come in the order they came in before, so the member that followed last time is tried first.
 */
import { ByteBuffer } from '../engine/json/byte-buffer.ts';
import { stringEquals, stringText } from '../engine/json/json-string.ts';
import { JsonKind, type JsonTape } from '../engine/json/json-tape.ts';

export interface FieldRules {
  /** The field's text is indexed. */
  isIndexed(path: string): boolean;
  /** Some field at or below the path is indexed. */
  leadsToIndexed(path: string): boolean;
  /** Languages of the field's text, null = not restricted. */
  localesOf(path: string): readonly string[] | null;
}

/** One flattened field; shared by all nodes with the same path (`a` → `b`, and a literal `a.b`). */
export interface FieldSlot {
  readonly path: string;
  readonly isIndexed: boolean;
  readonly leadsToIndexed: boolean;
  readonly locales: readonly string[] | null;
  /** Number in the segment being built, or −1. */
  field: number;
  /** Serial number of the document that `position` belongs to. */
  document: number;
  /** Running position of the field in that document. */
  position: number;
}

export class FieldNode {
  readonly slot: FieldSlot;
  readonly name: string;
  readonly nameBytes: Uint8Array;
  readonly children = new Map<string, FieldNode>();
  /** The child that the last object here began with. */
  firstChild: FieldNode | null = null;
  /** The sibling that came after this one last time. */
  follower: FieldNode | null = null;

  constructor(slot: FieldSlot, name: string) {
    this.slot = slot;
    this.name = name;
    this.nameBytes = utf8.encode(name);
  }
}

const utf8 = new TextEncoder();
const scratch = new ByteBuffer();

export class FieldTree {
  readonly root: FieldNode;
  readonly #slots = new Map<string, FieldSlot>();
  readonly #rules: FieldRules;

  constructor(rules: FieldRules) {
    this.#rules = rules;
    this.root = new FieldNode(newSlot('', rules), '');
  }

  /** Distinct paths met. */
  get fieldCount(): number {
    return this.#slots.size;
  }
  paths(): string[] {
    return [...this.#slots.keys()];
  }
  slots(): Iterable<FieldSlot> {
    return this.#slots.values();
  }

  /** The child of `parent` named by the key node; `before` is the member before it in the same object, or null. */
  child(parent: FieldNode, before: FieldNode | null, tape: JsonTape, key: number): FieldNode {
    const guess = before === null ? parent.firstChild : before.follower;
    if (guess !== null && stringEquals(tape, key, guess.nameBytes, scratch)) return guess;
    const name = stringText(tape, key);
    let node = parent.children.get(name);
    if (node === undefined) {
      node = new FieldNode(this.#slot(parent === this.root ? name : `${parent.slot.path}.${name}`), name);
      parent.children.set(name, node);
    }
    if (before === null) parent.firstChild = node;
    else before.follower = node;
    return node;
  }

  #slot(path: string): FieldSlot {
    let slot = this.#slots.get(path);
    if (slot === undefined) {
      slot = newSlot(path, this.#rules);
      this.#slots.set(path, slot);
    }
    return slot;
  }

  /** Adds every field of the tape's document. Stops early once there are more than `countMax`. */
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
  locales: rules.localesOf(path),
  field: -1,
  document: -1,
  position: 0,
});
