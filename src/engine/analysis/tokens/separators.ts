/**
 * The separators of one index: where text is cut, and the kind of each separator (relevance.md 1.2,
 * 1.6). Immutable.
 */
import { ByteTrie, ROOT } from '../../bytes/byte-trie.ts';
import { encodeUtf8 } from '../../bytes/utf8.ts';
import { decompose } from '../characters/decomposition.ts';
import { copyOfBasicPlane, scriptOf } from '../characters/scripts.ts';
import {
  BUILT_IN_HARD_SEPARATORS,
  DEFAULT_SEPARATORS,
  SEPARATOR_SEQUENCES,
} from './separator-table.ts';
import { type AnalyzerSettings, TokenKind } from './token.ts';

/**
 * Class of a code point in a scan; `sequence` = a longer separator may begin here, else its class
 * is `aloneClass`.
 */
export const CutClass = { none: 0, soft: 1, hard: 2, token: 3, sequence: 4 } as const;
export type CutClass = (typeof CutClass)[keyof typeof CutClass];

/** `info` of a code point: its script in the low bits, its class above. */
export const SCRIPT_MASK = 31;
export const CLASS_SHIFT = 5;

const isOneCodePoint = (text: string): boolean =>
  text.length === (text.codePointAt(0)! > 0xffff ? 2 : 1);

export class Separators {
  static #default: Separators | null = null;
  readonly #list: ReadonlySet<string>;
  readonly #sequences = new ByteTrie();
  /** The nodes at which a sequence ends. */
  readonly #sequenceEnds = new Set<number>();
  readonly #info = copyOfBasicPlane();
  readonly #aloneClasses = new Map<number, CutClass>();
  readonly #supplementaryClasses = new Map<number, CutClass>();
  /**
   * True when only built-in sequences cut, each as a hard separator; byte scanners need only these.
   */
  readonly hasHardBuiltInSequencesOnly: boolean;
  /** The sequences that cut, dictionary entries included. */
  readonly sequences: ReadonlySet<string>;

  /** The separators for these settings; indexes with default settings share one instance. */
  static of(settings: AnalyzerSettings, stopWords: ReadonlySet<string>): Separators {
    const { separatorTokens, nonSeparatorTokens, dictionary } = settings;
    const isDefault = separatorTokens.length + nonSeparatorTokens.length + dictionary.length === 0;
    if (!isDefault || [...stopWords].some((word) => DEFAULT_SEPARATORS.has(word))) {
      return new Separators(settings, stopWords);
    }
    Separators.#default ??= new Separators(settings, stopWords);
    return Separators.#default;
  }

  private constructor(settings: AnalyzerSettings, stopWords: ReadonlySet<string>) {
    const list = new Set([...DEFAULT_SEPARATORS, ...settings.separatorTokens]);
    for (const text of settings.nonSeparatorTokens) list.delete(text);
    list.delete('');
    this.#list = list;
    const cuts = [...new Set([...list, ...settings.dictionary])].filter((text) => text !== '');
    this.sequences = new Set(cuts.filter((text) => !isOneCodePoint(text)));
    const isHardBuiltIn = (text: string): boolean =>
      SEPARATOR_SEQUENCES.includes(text) && list.has(text) && !stopWords.has(text);
    this.hasHardBuiltInSequencesOnly = [...this.sequences].every(isHardBuiltIn);
    for (const text of cuts) {
      if (!this.sequences.has(text))
        this.#setClass(text.codePointAt(0)!, this.#classAlone(text, stopWords));
    }
    for (const text of this.sequences) this.#addSequence(text);
  }

  /** Kind of a token with this decomposed text, or null when it is no separator. */
  kindOf(
    decomposed: string,
  ): typeof TokenKind.softSeparator | typeof TokenKind.hardSeparator | null {
    if (!this.#list.has(decomposed)) return null;
    return BUILT_IN_HARD_SEPARATORS.has(decomposed)
      ? TokenKind.hardSeparator
      : TokenKind.softSeparator;
  }

  /** Script and cut class of any code point. */
  infoOf(codePoint: number): number {
    if (codePoint < 0x10000) return this.#info[codePoint]!;
    return (
      scriptOf(codePoint) |
      ((this.#supplementaryClasses.get(codePoint) ?? CutClass.none) << CLASS_SHIFT)
    );
  }

  /** `infoOf` for the basic plane as a table, for scanners. */
  get infoTable(): Uint8Array {
    return this.#info;
  }

  /** Class of a code point of class `sequence` when no sequence begins there. */
  aloneClass(codePoint: number): CutClass {
    return this.#aloneClasses.get(codePoint) ?? CutClass.none;
  }

  /**
   * Length in bytes of the longest sequence that begins at `at` and ends within `end`; 0 = none.
   */
  sequenceBytes(utf8: Uint8Array, at: number, end: number): number {
    let node = ROOT;
    let length = 0;
    for (let i = at; i < end; i++) {
      node = this.#sequences.child(node, utf8[i]!);
      if (node < 0) break;
      if (this.#sequenceEnds.has(node)) length = i + 1 - at;
    }
    return length;
  }

  #classAlone(text: string, stopWords: ReadonlySet<string>): CutClass {
    const decomposed = decompose(text);
    if (stopWords.has(decomposed)) return CutClass.token;
    const kind = this.kindOf(decomposed);
    if (kind === null) return CutClass.token;
    return kind === TokenKind.hardSeparator ? CutClass.hard : CutClass.soft;
  }

  #setClass(codePoint: number, cutClass: CutClass): void {
    if (codePoint > 0xffff) this.#supplementaryClasses.set(codePoint, cutClass);
    else this.#info[codePoint] = (this.#info[codePoint]! & SCRIPT_MASK) | (cutClass << CLASS_SHIFT);
  }

  #addSequence(text: string): void {
    const codePoint = text.codePointAt(0)!;
    const known = (this.infoOf(codePoint) >> CLASS_SHIFT) as CutClass;
    if (known !== CutClass.sequence) this.#aloneClasses.set(codePoint, known);
    this.#setClass(codePoint, CutClass.sequence);
    const utf8 = encodeUtf8(text);
    this.#sequenceEnds.add(this.#sequences.insert(utf8, 0, utf8.length));
  }
}
