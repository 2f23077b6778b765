/**
 * Parses a large JSON text in parts of some kilobytes, so that the event loop turns between them:
 * V8 takes a tenth of a second for 120,000 members. The tape gives the places of the values.
 */
import type { Caller } from '../core/caller.ts';
import type { TimeSlices } from '../core/time-slices.ts';
import { JsonKind, type JsonTape } from '../engine/json/json-tape.ts';
import { ClientGone } from './request-body.ts';

const PART_BYTES = 1 << 14;

const COMMA = 0x2c;
const COLON = 0x3a;

/** Neighbouring elements or members of a container: nodes and bytes, half open. */
interface Part {
  readonly node: number;
  readonly endNode: number;
  readonly start: number;
  readonly end: number;
}

const OWN_MEMBER = { writable: true, enumerable: true, configurable: true };

/** JSON.parse makes a member `__proto__`, an assignment would set the prototype. */
function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { ...OWN_MEMBER, value });
}

export class LargeJson {
  readonly #tape: JsonTape;
  readonly #bytes: Buffer;
  readonly #slices: TimeSlices;
  readonly #caller: Caller;
  readonly #partBytes: number;

  /**
   * @param tape with a scanned text that has no lone surrogates
   * @param partBytes text that is parsed at once; takes at most a millisecond
   */
  constructor(tape: JsonTape, slices: TimeSlices, caller: Caller, partBytes = PART_BYTES) {
    const { buffer, byteOffset, byteLength } = tape.bytes;
    this.#tape = tape;
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength);
    this.#slices = slices;
    this.#caller = caller;
    this.#partBytes = partBytes;
  }

  /** The value of a node. @throws ClientGone */
  async value(node = 0): Promise<unknown> {
    const start = this.#tape.start(node);
    const end = this.#tape.end(node);
    const kind = this.#tape.kind(node);
    if (end - start > this.#partBytes) {
      if (kind === JsonKind.array) return this.#array(node);
      if (kind === JsonKind.object) return this.#object(node);
    }
    await this.#turn();
    return JSON.parse(this.#bytes.toString('utf8', start, end));
  }

  async #array(node: number): Promise<unknown[]> {
    const items: unknown[] = [];
    for (const part of this.#parts(node, 0)) {
      const { start, end } = part;
      if (end - start > this.#partBytes) items.push(await this.value(part.node));
      else {
        const text = `[${this.#bytes.toString('utf8', start, end)}]`;
        for (const item of JSON.parse(text) as unknown[]) items.push(item);
      }
      await this.#turn();
    }
    return items;
  }

  async #object(node: number): Promise<Record<string, unknown>> {
    const object: Record<string, unknown> = {};
    for (const part of this.#parts(node, 1)) {
      const { start, end } = part;
      if (end - start > this.#partBytes) {
        const name = this.#bytes.toString('utf8', start, this.#tape.end(part.node));
        setMember(object, JSON.parse(name) as string, await this.value(part.node + 1));
      } else {
        const pairs = JSON.parse(this.#listOf(part)) as unknown[];
        for (let i = 0; i < pairs.length; i += 2)
          setMember(object, pairs[i] as string, pairs[i + 1]);
      }
      await this.#turn();
    }
    return object;
  }

  /** @param nameNodes nodes before the value of an element or member: 0 or 1 */
  *#parts(container: number, nameNodes: 0 | 1): Generator<Part, void, void> {
    const tape = this.#tape;
    const after = tape.next(container);
    for (let node = container + 1; node < after; ) {
      const start = tape.start(node);
      let end = tape.end(node + nameNodes);
      let endNode = tape.next(node + nameNodes);
      while (endNode < after && tape.end(endNode + nameNodes) - start <= this.#partBytes) {
        end = tape.end(endNode + nameNodes);
        endNode = tape.next(endNode + nameNodes);
      }
      yield { node, endNode, start, end };
      node = endNode;
    }
  }

  /**
   * Members as a JSON array of names and values in turn: V8 makes a hidden class for each new member
   * of an object that it parses.
   */
  #listOf({ node, endNode, start, end }: Part): string {
    const copy = Buffer.from(this.#bytes.subarray(start, end));
    for (let name = node; name < endNode; name = this.#tape.next(name + 1))
      copy[copy.indexOf(COLON, this.#tape.end(name) - start)] = COMMA;
    return `[${copy.toString()}]`;
  }

  async #turn(): Promise<void> {
    await this.#slices.between();
    if (this.#caller.isAborted) throw new ClientGone();
  }
}
