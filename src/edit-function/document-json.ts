/** Converts documents to script values and back; unchanged values keep their bytes. */
import type { ByteBuffer } from '../engine/bytes/byte-buffer.ts';
import { compactNode, lastValues } from '../engine/json/compact-json.ts';
import { stringText } from '../engine/json/json-string.ts';
import { JsonKind, type JsonTape } from '../engine/json/json-tape.ts';
import { editLimits } from './edit-limits.ts';
import { NO_POSITION, scriptFailure } from './script-error.ts';
import {
  INT_MAX,
  INT_MIN,
  numberShown,
  type ScriptMap,
  textOf,
  typeName,
  type Value,
} from './values.ts';

const INTEGER = /^(?:0|-?[1-9]\d*)$/;
/** Integers with at most this many characters are exact as numbers. */
const EXACT_LENGTH = 15;
const decoder = new TextDecoder();

/**
 * The value of a node of a scanned document. Integers of 64 bits are integers, all other numbers
 * floats.
 */
export function toValue(tape: JsonTape, node: number): Value {
  switch (tape.kind(node)) {
    case JsonKind.null:
      return null;
    case JsonKind.false:
      return false;
    case JsonKind.true:
      return true;
    case JsonKind.number:
      return numberOf(tape, node);
    case JsonKind.string:
      return stringText(tape, node);
    case JsonKind.array: {
      const items: Value[] = [];
      const after = tape.next(node);
      for (let at = node + 1; at < after; at = tape.next(at)) items.push(toValue(tape, at));
      return items;
    }
    case JsonKind.object: {
      const map: ScriptMap = new Map();
      const after = tape.next(node);
      for (let key = node + 1; key < after; key = tape.next(key + 1))
        map.set(stringText(tape, key), toValue(tape, key + 1));
      return map;
    }
  }
}

function numberOf(tape: JsonTape, node: number): bigint | number {
  const text = decoder.decode(tape.bytes.subarray(tape.start(node), tape.end(node)));
  if (!INTEGER.test(text) || text.length > INT_MIN.toString().length) return Number(text);
  if (text.length <= EXACT_LENGTH) return BigInt(Number(text));
  const value = BigInt(text);
  return value >= INT_MIN && value <= INT_MAX ? value : Number(text);
}

/** Converts a parsed JSON value; whole numbers become integers. */
export function fromJson(value: unknown): Value {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(fromJson);
  if (typeof value !== 'object' || value === null) return null;
  return new Map(Object.entries(value).map(([name, item]) => [name, fromJson(item)]));
}

/**
 * Appends a document after its function ran, in compact form.
 * @param tape holds the document before the run
 * @returns true if it changed
 * @throws ScriptError for a value that JSON does not have
 */
export function writeDocument(document: ScriptMap, tape: JsonTape, out: ByteBuffer): boolean {
  const writer = new DocumentWriter(tape, out);
  writer.write(document, 0, '', 1);
  return writer.isChanged;
}

class DocumentWriter {
  isChanged = false;
  readonly #tape: JsonTape;
  readonly #out: ByteBuffer;

  constructor(tape: JsonTape, out: ByteBuffer) {
    this.#tape = tape;
    this.#out = out;
  }

  /** @param node the previous value at this path, or −1 */
  write(value: Value, node: number, path: string, depth: number): void {
    if (value instanceof Map) this.#object(value, node, path, depth);
    else if (Array.isArray(value)) this.#array(value, node, path, depth);
    else if (
      node >= 0 &&
      isScalar(this.#tape, node) &&
      Object.is(toValue(this.#tape, node), value)
    ) {
      compactNode(this.#tape, node, this.#out);
    } else {
      this.isChanged = true;
      this.#out.pushText(scalarText(value, path));
    }
  }

  #object(map: ScriptMap, node: number, path: string, depth: number): void {
    checkDepth(depth, path);
    const isObject = node >= 0 && this.#tape.kind(node) === JsonKind.object;
    const before = isObject ? lastValues(this.#tape, node) : new Map<string, number>();
    if (!isObject || before.size !== map.size) this.isChanged = true;
    let separator = 0x7b;
    for (const [name, value] of map) {
      const member = before.get(name) ?? -1;
      if (member < 0) this.isChanged = true;
      this.#out.pushByte(separator);
      separator = 0x2c;
      this.#out.pushText(jsonText(name));
      this.#out.pushByte(0x3a);
      this.write(value, member, path === '' ? name : `${path}.${name}`, depth + 1);
    }
    if (map.size === 0) this.#out.pushByte(0x7b);
    this.#out.pushByte(0x7d);
  }

  #array(items: readonly Value[], node: number, path: string, depth: number): void {
    checkDepth(depth, path);
    const tape = this.#tape;
    const isArray = node >= 0 && tape.kind(node) === JsonKind.array;
    const after = isArray ? tape.next(node) : 0;
    let member = isArray ? node + 1 : after;
    if (!isArray) this.isChanged = true;
    this.#out.pushByte(0x5b);
    for (const [i, item] of items.entries()) {
      if (i > 0) this.#out.pushByte(0x2c);
      const hasMember = member < after;
      if (!hasMember) this.isChanged = true;
      this.write(item, hasMember ? member : -1, `${path}[${i}]`, depth + 1);
      if (hasMember) member = tape.next(member);
    }
    if (member < after) this.isChanged = true;
    this.#out.pushByte(0x5d);
  }
}

const isScalar = (tape: JsonTape, node: number): boolean => tape.kind(node) < JsonKind.array;

function checkDepth(depth: number, path: string): void {
  if (depth > editLimits.valueDepthMax)
    throw scriptFailure(
      `\`doc.${path.slice(0, 200)}\` nests values deeper than ${editLimits.valueDepthMax} levels`,
      NO_POSITION,
    );
}

const LONE_SURROGATE = /\p{Surrogate}/gu;
const jsonText = (text: string): string => JSON.stringify(text.replace(LONE_SURROGATE, '\ufffd'));

function scalarText(value: Value, path: string): string {
  if (value === null || typeof value === 'boolean') return String(value);
  const text = textOf(value);
  if (text !== null) return jsonText(text);
  const isStorable =
    typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value));
  if (isStorable) return numberShown(value);
  const found = typeof value === 'number' ? numberShown(value) : typeName(value);
  throw scriptFailure(
    `\`doc.${path.slice(0, 200)}\` is ${found}, which a document cannot hold`,
    NO_POSITION,
  );
}
