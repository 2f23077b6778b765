/**
 * Turns documents into indexed words: walks the tape, assigns each value the base position of
 * relevance.md 1.4 and adds the words of analysis to the segment builder. Allocates no object or
 * string per value.
 */
import { limits } from '../../core/limits.ts';
import type { Analyzer } from '../../engine/analysis/analyzer.ts';
import type { WordSink } from '../../engine/analysis/tokens/token.ts';
import { ByteBuffer } from '../../engine/bytes/byte-buffer.ts';
import { unescapeInto } from '../../engine/json/json-string.ts';
import { ESCAPED, JsonKind, type JsonTape } from '../../engine/json/json-tape.ts';
import { numberText } from '../../engine/json/number-text.ts';
import type { SegmentBuilder } from '../../engine/segment/segment-builder.ts';
import { type FieldNode, type FieldSlot, FieldTree } from './field-tree.ts';
import { type TextSettings, textRules } from './text-rules.ts';

/** Distance between two values of one field. */
const VALUE_GAP = 8;
const POSITION_MAX = limits.fieldPositionMax;
/** Integers with at most this many digits are indexed as written. */
const PLAIN_INTEGER_LENGTH = 18;

const utf8 = new TextEncoder();
const ascii = new TextDecoder('latin1');
const TRUE_TEXT = utf8.encode('true');
const FALSE_TEXT = utf8.encode('false');

/** Receives the words of documents. */
type WordBuilder = Pick<SegmentBuilder, 'fieldNumber' | 'word' | 'chunk'>;

class BuilderSink implements WordSink {
  readonly #builder: WordBuilder;
  field = 0;
  constructor(builder: WordBuilder) {
    this.#builder = builder;
  }
  word(bytes: Uint8Array, length: number, hash: number, position: number): void {
    this.#builder.word(bytes, length, hash, this.field, position);
  }
}

class ChunkSink implements WordSink {
  readonly #builder: WordBuilder;
  field = 0;
  constructor(builder: WordBuilder) {
    this.#builder = builder;
  }
  word(bytes: Uint8Array, length: number, hash: number, position: number): void {
    this.#builder.chunk(bytes, length, hash, this.field, position);
  }
}

/** Feeds the documents of one segment to its builder. */
export class FieldFlattener {
  readonly #analyzer: Analyzer;
  readonly #builder: WordBuilder;
  readonly #tree: FieldTree;
  readonly #sink: BuilderSink;
  readonly #chunkSink: ChunkSink;
  readonly #scratch = new ByteBuffer();
  #document = 0;

  constructor(analyzer: Analyzer, settings: TextSettings, builder: WordBuilder) {
    this.#analyzer = analyzer;
    this.#builder = builder;
    this.#tree = new FieldTree(textRules(settings));
    this.#sink = new BuilderSink(builder);
    this.#chunkSink = new ChunkSink(builder);
  }

  /**
   * Indexes the text of the object on the tape, which has no duplicate keys; returns its top-level
   * names in order.
   */
  addDocument(tape: JsonTape): readonly string[] {
    this.#document += 1;
    const after = tape.next(0);
    let before: FieldNode | null = null;
    const names: string[] = [];
    for (let key = 1; key < after; key = tape.next(key + 1)) {
      const node: FieldNode = this.#tree.child(this.#tree.root, before, tape, key);
      before = node;
      names.push(node.name);
      if (!node.slot.leadsToIndexed) continue;
      const kind = tape.kind(key + 1);
      if (kind === JsonKind.object) this.#object(tape, key + 1, node);
      else if (kind === JsonKind.array) this.#array(tape, key + 1, node);
      else this.#leaf(tape, key + 1, kind, node.slot);
    }
    return names;
  }

  #object(tape: JsonTape, object: number, parent: FieldNode): void {
    const after = tape.next(object);
    if (after === object + 1) this.#advance(parent.slot);
    let before: FieldNode | null = null;
    for (let key = object + 1; key < after; key = tape.next(key + 1)) {
      const node: FieldNode = this.#tree.child(parent, before, tape, key);
      before = node;
      if (!node.slot.leadsToIndexed) continue;
      const kind = tape.kind(key + 1);
      if (kind < JsonKind.array) {
        this.#leaf(tape, key + 1, kind, node.slot);
        continue;
      }
      // A container inside an object counts as a value itself, before its own values.
      this.#advance(node.slot);
      if (kind === JsonKind.object) this.#object(tape, key + 1, node);
      else this.#array(tape, key + 1, node);
    }
  }

  #array(tape: JsonTape, array: number, field: FieldNode): void {
    const after = tape.next(array);
    if (after === array + 1) this.#advance(field.slot);
    for (let element = array + 1; element < after; element = tape.next(element)) {
      const kind = tape.kind(element);
      if (kind === JsonKind.object) this.#object(tape, element, field);
      else if (kind === JsonKind.array) this.#array(tape, element, field);
      else this.#leaf(tape, element, kind, field.slot);
    }
  }

  /** Advances the field to the base position of its next value and returns it. */
  #advance(slot: FieldSlot): number {
    if (slot.document === this.#document) {
      slot.position += VALUE_GAP;
    } else {
      slot.document = this.#document;
      slot.position = 0;
    }
    return slot.position;
  }

  #leaf(tape: JsonTape, node: number, kind: JsonKind, slot: FieldSlot): void {
    if (!slot.isIndexed) return;
    const base = this.#advance(slot);
    if (kind === JsonKind.null || base > POSITION_MAX) return;
    if (slot.field < 0) slot.field = this.#builder.fieldNumber(slot.path);
    this.#sink.field = slot.field;
    const last = this.#indexLeaf(tape, node, kind, base, slot);
    if (last >= 0) slot.position = last;
  }

  #indexLeaf(tape: JsonTape, node: number, kind: JsonKind, base: number, slot: FieldSlot): number {
    const start = tape.start(node);
    const end = tape.end(node);
    if (kind === JsonKind.string) {
      if ((tape.flags(node) & ESCAPED) === 0) {
        return this.#indexText(tape.bytes, start + 1, end - 1, base, slot, slot.locales);
      }
      this.#scratch.clear();
      unescapeInto(tape.bytes, start + 1, end - 1, this.#scratch);
      const { bytes, length } = this.#scratch;
      return this.#indexText(bytes, 0, length, base, slot, slot.locales);
    }
    if (kind !== JsonKind.number) {
      const text = kind === JsonKind.true ? TRUE_TEXT : FALSE_TEXT;
      return this.#indexText(text, 0, text.length, base, slot, null);
    }
    if (isPlainInteger(tape.bytes, start, end)) {
      return this.#indexText(tape.bytes, start, end, base, slot, null);
    }
    this.#scratch.clear();
    this.#scratch.pushText(numberText(ascii.decode(tape.bytes.subarray(start, end))));
    return this.#indexText(this.#scratch.bytes, 0, this.#scratch.length, base, slot, null);
  }

  /** Returns the position of the last word, or −1. */
  #indexText(
    utf8: Uint8Array,
    start: number,
    end: number,
    base: number,
    slot: FieldSlot,
    locales: readonly string[] | null,
  ): number {
    const last = this.#analyzer.indexWords(utf8, start, end, base, locales, this.#sink);
    if (slot.hasChunks && last >= 0) {
      this.#chunkSink.field = slot.field;
      this.#analyzer.indexChunks(utf8, start, end, base, locales, this.#chunkSink);
    }
    return last;
  }
}

/** Digits only, few enough to fit 64 bits. */
function isPlainInteger(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > PLAIN_INTEGER_LENGTH) return false;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number;
    if (byte < 0x30 || byte > 0x39) return false;
  }
  return true;
}
