/** Query text → located terms and exclusions (relevance.md 2.1). */
import { limits } from '../../core/limits.ts';
import type { Analyzer } from '../../engine/analysis/analyzer.ts';
import type { Token } from '../../engine/analysis/tokens/token.ts';
import { TokenKind } from '../../engine/analysis/tokens/token.ts';

const { queryTokensExaminedMax: TOKENS_MAX, queryLengthExaminedMax: LENGTH_MAX } = limits;
/** Query positions that one hard separator skips. */
const HARD_SEPARATOR_GAP = 7;
/** Shorter parts are only words. */
const PART_CHARACTERS_MIN = 3;

/** A phrase's words; null is the gap of a stop word. */
export type PhraseText = readonly (string | null)[];

export interface LocatedTerm {
  /** First and last query position, inclusive. */
  readonly start: number;
  readonly end: number;
  /** A single word, or null for a phrase. */
  readonly word: string | null;
  readonly phrase: PhraseText | null;
  readonly isPrefix: boolean;
}

export interface ChunkPart {
  /** Normalised. */
  readonly text: string;
  /** Ids of the first and the last term that it covers. */
  readonly firstId: number;
  readonly lastId: number;
}

export interface ParsedQuery {
  readonly terms: readonly LocatedTerm[];
  readonly negativeWords: readonly string[];
  readonly negativePhrases: readonly PhraseText[];
  /** Parts of chunks; none if no attribute has chunks. */
  readonly parts: readonly ChunkPart[];
}

interface OpenPhrase {
  readonly negative: boolean;
  words: (string | null)[];
  /** Query position of each slot. */
  positions: number[];
}

export interface QueryChoice {
  /** True if the last word may be completed. */
  readonly prefixSearch: boolean;
  /** Maximum number of terms; later terms are dropped. */
  readonly termsMax: number;
  /** True if some attribute has chunks. */
  readonly hasParts: boolean;
}

export function parseQuery(
  text: string,
  analyzer: Analyzer,
  locales: readonly string[] | null,
  choice: QueryChoice,
): ParsedQuery {
  const examined = text.slice(0, LENGTH_MAX);
  // One more token shows whether the last counted token is the last one of the query.
  const tokens = analyzer.tokenize(examined, locales, TOKENS_MAX + 1);
  const isWhole = examined.length === text.length && tokens.length <= TOKENS_MAX;
  const walk = new QueryWalk(examined, tokens.slice(0, TOKENS_MAX), isWhole, choice);
  const query = walk.run();
  return choice.hasParts
    ? { ...query, parts: chunkParts(examined, walk.offsets, analyzer) }
    : query;
}

class QueryWalk {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  /** True if the tokens are the complete query. */
  readonly #isWhole: boolean;
  readonly #choice: QueryChoice;
  readonly #terms: LocatedTerm[] = [];
  /** Where each term begins in the text; −1 for a phrase. */
  readonly offsets: number[] = [];
  readonly #negativeWords: string[] = [];
  readonly #negativePhrases: PhraseText[] = [];
  #position = -1;
  #phrase: OpenPhrase | null = null;
  #negateNext = false;

  constructor(text: string, tokens: readonly Token[], isWhole: boolean, choice: QueryChoice) {
    this.#text = text;
    this.#tokens = tokens;
    this.#isWhole = isWhole;
    this.#choice = choice;
  }

  run(): ParsedQuery {
    for (let i = 0; i < this.#tokens.length; i++) {
      if (this.#terms.length >= this.#choice.termsMax) {
        this.#phrase = null;
        break;
      }
      this.#visit(i);
    }
    if (this.#phrase) this.#closePhrase();
    return {
      terms: this.#terms,
      negativeWords: this.#negativeWords,
      negativePhrases: this.#negativePhrases,
      parts: [],
    };
  }

  #visit(i: number): void {
    const token = this.#tokens[i]!;
    if (token.lemma.length === 0) return;
    if (token.kind === TokenKind.word || token.kind === TokenKind.stopWord) {
      this.#word(token, this.#isWhole && i === this.#tokens.length - 1);
      this.#negateNext = false;
      return;
    }
    this.#separator(token, i);
  }

  #word(token: Token, isLast: boolean): void {
    this.#position++;
    const isStopWord = token.kind === TokenKind.stopWord;
    if (this.#phrase) {
      this.#phrase.words.push(isStopWord ? null : token.lemma);
      this.#phrase.positions.push(this.#position);
    } else if (this.#negateNext) {
      this.#negativeWords.push(token.lemma);
    } else if (!isStopWord || isLast) {
      this.offsets.push(token.start);
      this.#terms.push({
        start: this.#position,
        end: this.#position,
        word: token.lemma,
        phrase: null,
        isPrefix: isLast && this.#choice.prefixSearch,
      });
    }
  }

  #separator(token: Token, i: number): void {
    const negated = this.#negateNext;
    this.#negateNext = false;
    if (token.kind === TokenKind.hardSeparator) {
      this.#position += HARD_SEPARATOR_GAP;
      if (this.#phrase) {
        const { negative } = this.#phrase;
        this.#closePhrase();
        this.#phrase = { negative, words: [], positions: [] };
      }
      return;
    }
    const source = this.#text.slice(token.start, token.end);
    if (source === '"') {
      if (this.#phrase) this.#closePhrase();
      else this.#phrase = { negative: negated, words: [], positions: [] };
    } else if (source === '-' && !this.#phrase) {
      this.#negateNext = i === 0 || this.#endsWithSpace(this.#tokens[i - 1]!);
    }
  }

  #endsWithSpace(token: Token): boolean {
    return token.end > token.start && /\s/u.test(this.#text[token.end - 1]!);
  }

  #closePhrase(): void {
    const { negative, words, positions } = this.#phrase!;
    this.#phrase = null;
    const first = words.findIndex((w) => w !== null);
    if (first < 0) return;
    if (negative) this.#negativePhrases.push(words);
    else {
      this.offsets.push(-1);
      this.#terms.push({
        start: positions[first]!,
        end: positions[positions.length - 1]!,
        word: null,
        phrase: words,
        isPrefix: false,
      });
    }
  }
}

/**
 * Parts of chunks: what the user typed between white space, separators included (relevance.md 2.9).
 * @param offsets of the query's terms by id: where a word begins in the text, −1 for a phrase
 */
function chunkParts(text: string, offsets: readonly number[], analyzer: Analyzer): ChunkPart[] {
  const parts: ChunkPart[] = [];
  let id = 0;
  for (const { index, 0: typed } of text.matchAll(/[^\t-\r ]+/g)) {
    while (id < offsets.length && offsets[id]! < index) id++;
    const firstId = id;
    while (id < offsets.length && offsets[id]! < index + typed.length && offsets[id]! >= 0) id++;
    // Quotes begin phrases, and a hyphen excludes a word.
    if (id === firstId || typed.includes('"') || typed.startsWith('-')) continue;
    const part = analyzer.normalizeChunk(typed).lemma;
    if (isLongEnough(part) && Buffer.byteLength(part) <= limits.chunkBytesMax)
      parts.push({ text: part, firstId, lastId: id - 1 });
  }
  return parts;
}

function isLongEnough(text: string): boolean {
  let length = 0;
  for (const _ of text) if (++length === PART_CHARACTERS_MIN) return true;
  return false;
}
