/**
 * Tree of the member names found in documents, to which readers of documents attach their data.
 * Members mostly come in the same order as before, so the member that followed last time is tried
 * first, without making a string.
 */
import { encodeUtf8 } from '../bytes/utf8.ts';
import { stringEquals, stringText } from './json-string.ts';
import type { JsonTape } from './json-tape.ts';

export class MemberNode<Node> {
  readonly name: string;
  readonly nameBytes: Uint8Array;
  readonly children = new Map<string, Node>();
  /** The first child in the last object here. */
  firstChild: Node | null = null;
  /** The sibling that followed this one last time. */
  follower: Node | null = null;

  constructor(name: string) {
    this.name = name;
    this.nameBytes = encodeUtf8(name);
  }
}

/**
 * The child of `parent` named by the key node of the tape, created by `create` when the name is
 * new; `before` is the member before it in the same object, or null.
 */
export function childOf<Node extends MemberNode<Node>>(
  parent: Node,
  before: Node | null,
  tape: JsonTape,
  key: number,
  create: (parent: Node, name: string) => Node,
): Node {
  const guess = before === null ? parent.firstChild : before.follower;
  if (guess !== null && stringEquals(tape, key, guess.nameBytes)) return guess;
  const name = stringText(tape, key);
  let node = parent.children.get(name);
  if (node === undefined) {
    node = create(parent, name);
    parent.children.set(name, node);
  }
  if (before === null) parent.firstChild = node;
  else before.follower = node;
  return node;
}
