/**
 * Indexed words straight from UTF-8 bytes. ASCII words are lower-cased and hashed while they are
 * read; any other piece is looked up by its bytes in a bounded cache, so only words not in the
 * cache become strings. Gives the same words as `Tokenizer`, if only the built-in sequences cut,
 * each as a hard separator (`Separators.hasHardBuiltInSequencesOnly`). Linear in the length of the
 * value.
 */
import { HASH_SEED, hashBytes, hashFinish } from '../../../core/hash.ts';
import type { TermInterner } from '../../bytes/term-interner.ts';
import { Script } from '../characters/scripts.ts';
import {
  codePointOrReplacement,
  decodeShortUtf8,
  sequenceLength,
  utf8Length,
} from '../characters/word-codec.ts';
import type { Language, LanguageChoice } from '../languages/languages.ts';
import { profileOf, type ScriptProfile } from '../languages/script-profiles.ts';
import { isUncut } from '../languages/segmenters.ts';
import type { Normalizer } from '../tokens/normalizer.ts';
import { KHMER_ET_CETERA } from '../tokens/separator-table.ts';
import { CLASS_SHIFT, CutClass, SCRIPT_MASK, type Separators } from '../tokens/separators.ts';
import { CACHED_WORD_BYTES_MAX, NormalizedWordCache } from './normalized-word-cache.ts';
import {
  type Prepared,
  WORD_BYTES_MAX,
  type WordEmitter,
  type WordOutcome,
} from './word-emitter.ts';

const HASH_PRIME = 0x01000193;
const LANGUAGE_BITS = 3;
const SPACE = 0x20;
const DOT = 0x2e;
const COMMA = 0x2c;
/** U+17D4 U+179B U+17D4. */
const KHMER_SEQUENCE = [0xe1, 0x9f, 0x94, 0xe1, 0x9e, 0x9b, 0xe1, 0x9f, 0x94] as const;

export interface WordIndexerParts {
  readonly separators: Separators;
  readonly normalizer: Normalizer;
  /** As written, by the hash of their lower-cased bytes. */
  readonly stopWords: TermInterner;
  readonly emitter: WordEmitter;
}

export class WordIndexer {
  readonly #separators: Separators;
  readonly #info: Uint8Array;
  readonly #normalizer: Normalizer;
  readonly #stopWords: TermInterner;
  readonly #emitter: WordEmitter;
  readonly #cache = new NormalizedWordCache();
  /**
   * Lower-cased byte of each byte of plain ASCII words, else 0; one table for groups of Latin
   * script, one for the rest.
   */
  readonly #plainWithLetters: Uint8Array;
  readonly #plainWithoutLetters: Uint8Array;
  /** 1 for the ASCII bytes that end a word. */
  readonly #cuts: Uint8Array;
  readonly #isSoft: Uint8Array;
  readonly #cutsDotSpace: boolean;
  readonly #cutsCommaSpace: boolean;

  #plain: Uint8Array;
  #script: Script = Script.none;
  #language: Language = 0;
  #profile: ScriptProfile = profileOf(Script.none, 0);
  #choice: LanguageChoice | null = null;

  constructor({ separators, normalizer, stopWords, emitter }: WordIndexerParts) {
    this.#separators = separators;
    this.#info = separators.infoTable;
    this.#normalizer = normalizer;
    this.#stopWords = stopWords;
    this.#emitter = emitter;
    this.#cutsDotSpace = separators.sequences.has('. ');
    this.#cutsCommaSpace = separators.sequences.has(', ');
    this.#cuts = asciiTable((byte) => (this.#cutClass(byte) === CutClass.none ? 0 : 1));
    this.#isSoft = asciiTable((byte) =>
      this.#info[byte]! >> CLASS_SHIFT === CutClass.soft ? 1 : 0,
    );
    this.#plainWithLetters = asciiTable((byte) => (this.#isPlain(byte) ? toLower(byte) : 0));
    this.#plainWithoutLetters = asciiTable((byte) =>
      this.#isPlain(byte) && !isLetter(byte) ? byte : 0,
    );
    this.#plain = this.#plainWithLetters;
  }

  /** Feeds the words of `utf8[start, end)` to the emitter, which has begun the value. */
  run(utf8: Uint8Array, start: number, end: number, choice: LanguageChoice): void {
    this.#choice = choice;
    this.#enterFirstScript(utf8, start, end);
    const emitter = this.#emitter;
    const { scratch } = emitter;
    const cuts = this.#cuts;
    const isSoft = this.#isSoft;
    const hasStopWords = this.#stopWords.count > 0;
    let plain = this.#plain;
    let i = start;
    while (i < end && !emitter.isFull) {
      const byte = utf8[i]!;
      let lower = plain[byte]!;
      if (lower === 0) {
        if (isSoft[byte] === 1) {
          i++;
          continue;
        }
        i = this.#scanPiece(utf8, i, i, end);
        plain = this.#plain;
        continue;
      }
      const from = i;
      const wordEnd = Math.min(end, from + WORD_BYTES_MAX);
      let state: number = HASH_SEED;
      do {
        scratch[i - from] = lower;
        state = Math.imul(state ^ lower, HASH_PRIME);
        i++;
        lower = i < wordEnd ? plain[utf8[i]!]! : 0;
      } while (lower !== 0);
      if (i < end && cuts[utf8[i]!] === 0) {
        i = this.#scanPiece(utf8, from, i, end);
        plain = this.#plain;
        continue;
      }
      const hash = hashFinish(state);
      if (hasStopWords && this.#stopWords.find(utf8, from, i, hash) >= 0) emitter.position();
      else emitter.word(i - from, hash);
    }
  }

  /**
   * Continues from `at` inside a piece that began at `from`, to just after the separator that ends
   * it (or to `end`). Emits the piece, or the pieces that a change of script makes of it, and the
   * separator.
   */
  #scanPiece(utf8: Uint8Array, from: number, at: number, end: number): number {
    let pieceStart = from;
    for (let i = at; i < end; ) {
      const codePoint = codePointOrReplacement(utf8, i, end);
      const length = sequenceLength(utf8[i]!);
      const info =
        codePoint < 0x10000 ? this.#info[codePoint]! : this.#separators.infoOf(codePoint);
      const script = (info & SCRIPT_MASK) as Script;
      if (script !== Script.none && script !== this.#script) {
        if (i > pieceStart) this.#emitPiece(utf8, pieceStart, i);
        pieceStart = i;
        this.#enterGroup(script, utf8, i, end);
      }
      if (info >> CLASS_SHIFT === CutClass.none) {
        i += length;
        continue;
      }
      const sequence = this.#sequenceLength(utf8, i, end);
      const cutClass = sequence > 0 ? CutClass.hard : this.#cutClass(codePoint);
      if (cutClass === CutClass.none) {
        i += length;
        continue;
      }
      if (i > pieceStart) this.#emitPiece(utf8, pieceStart, i);
      if (cutClass === CutClass.hard) this.#emitter.hard();
      else if (cutClass === CutClass.token) this.#emitToken(utf8, i, i + length);
      return i + (sequence > 0 ? sequence : length);
    }
    this.#emitPiece(utf8, pieceStart, end);
    return end;
  }

  /** Class of a code point where no sequence begins. */
  #cutClass(codePoint: number): CutClass {
    const cutClass = (this.#separators.infoOf(codePoint) >> CLASS_SHIFT) as CutClass;
    return cutClass === CutClass.sequence ? this.#separators.aloneClass(codePoint) : cutClass;
  }

  /** Length in bytes of the built-in sequence at `i`, or 0; all of them are hard. */
  #sequenceLength(utf8: Uint8Array, i: number, end: number): number {
    const lead = utf8[i]!;
    if (lead === DOT) return this.#cutsDotSpace && i + 1 < end && utf8[i + 1] === SPACE ? 2 : 0;
    if (lead === COMMA) return this.#cutsCommaSpace && i + 1 < end && utf8[i + 1] === SPACE ? 2 : 0;
    if (lead !== KHMER_SEQUENCE[0] || i + KHMER_SEQUENCE.length > end) return 0;
    if (!KHMER_SEQUENCE.every((byte, index) => utf8[i + index] === byte)) return 0;
    return this.#separators.sequences.has(KHMER_ET_CETERA) ? KHMER_SEQUENCE.length : 0;
  }

  #isPlain(byte: number): boolean {
    return byte > SPACE && byte < 0x7f && this.#info[byte]! >> CLASS_SHIFT === CutClass.none;
  }

  #enterFirstScript(utf8: Uint8Array, start: number, end: number): void {
    let script: Script = Script.none;
    for (let i = start; i < end && script === Script.none; i += sequenceLength(utf8[i]!)) {
      script = (this.#separators.infoOf(codePointOrReplacement(utf8, i, end)) &
        SCRIPT_MASK) as Script;
    }
    this.#enterGroup(script, utf8, start, end);
  }

  #enterGroup(script: Script, utf8: Uint8Array, start: number, end: number): void {
    const choice = this.#choice!;
    this.#script = script;
    this.#language = choice.resolve(
      script,
      choice.needsText(script) ? this.#groupText(utf8, start, end) : '',
    );
    this.#profile = profileOf(script, this.#language);
    const isLatin = script === Script.latin || script === Script.none;
    this.#plain =
      isLatin && this.#profile.segmenter === null
        ? this.#plainWithLetters
        : this.#plainWithoutLetters;
  }

  /** Text of the group of the current script that begins at `start`. */
  #groupText(utf8: Uint8Array, start: number, end: number): string {
    let i = start;
    while (i < end) {
      const script = this.#separators.infoOf(codePointOrReplacement(utf8, i, end)) & SCRIPT_MASK;
      if (script !== Script.none && script !== this.#script) break;
      i += sequenceLength(utf8[i]!);
    }
    return decodeShortUtf8(utf8, start, Math.min(i, end));
  }

  #emitPiece(utf8: Uint8Array, start: number, end: number): void {
    const { segmenter } = this.#profile;
    const piece = segmenter?.mayCut(utf8, start, end) ? decodeShortUtf8(utf8, start, end) : '';
    if (segmenter === null || piece === '' || isUncut(piece)) {
      this.#emitToken(utf8, start, end);
      return;
    }
    let at = start;
    segmenter.segment(piece, (from, to) => {
      const wordStart = at;
      at = Math.min(end, at + utf8Length(piece, from, to));
      this.#emitToken(utf8, wordStart, at);
      return !this.#emitter.isFull;
    });
  }

  #emitToken(utf8: Uint8Array, start: number, end: number): void {
    if (end - start > CACHED_WORD_BYTES_MAX) {
      this.#emitNew(utf8, start, end);
      return;
    }
    const tag = (this.#script << LANGUAGE_BITS) | this.#language;
    const cache = this.#cache;
    const rawHash = hashBytes(utf8, start, end);
    const known = cache.find(utf8, start, end, rawHash, tag);
    if (known < 0) {
      const { outcome, length, hash } = this.#emitNew(utf8, start, end);
      cache.add(utf8.subarray(start, end), rawHash, tag, {
        outcome,
        lemma: this.#emitter.scratch,
        lemmaLength: length,
        hash,
      });
      return;
    }
    const { scratch } = this.#emitter;
    const { lemmas } = cache;
    const lemmaStart = cache.lemmaStarts[known]!;
    const length = cache.lemmaStarts[known + 1]! - lemmaStart;
    for (let i = 0; i < length; i++) scratch[i] = lemmas[lemmaStart + i]!;
    this.#emitter.apply(cache.outcomes[known]! as WordOutcome, length, cache.lemmaHashes[known]!);
  }

  #emitNew(utf8: Uint8Array, start: number, end: number): Prepared {
    const { kind, lemma } = this.#normalizer.normalize(
      decodeShortUtf8(utf8, start, end),
      this.#script,
      this.#language,
    );
    return this.#emitter.token(kind, lemma);
  }
}

const isLetter = (byte: number): boolean =>
  (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
const toLower = (byte: number): number => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte);

/** A table over all bytes with `value` for the ASCII bytes of the text and 0 for the rest. */
const asciiTable = (value: (byte: number) => number): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => (byte < 0x80 ? value(byte) : 0));
