/**
 * Tokens of text without letters of other scripts than Latin, the common case: ASCII words and separators become tokens without
 * normalisation. Gives the same tokens as `Tokenizer` with `Normalizer`.
 */
import type { LanguageChoice } from './languages.ts';
import type { Normalizer } from './normalizer.ts';
import { profileOf } from './script-profiles.ts';
import { Script } from './scripts.ts';
import { CLASS_SHIFT, CutClass, SCRIPT_MASK, type Separators } from './separators.ts';
import { type Token, TokenKind } from './token.ts';

const SPACE = 0x20;
const DELETE = 0x7f;
const SURROGATE_BITS = 0xf800;
const SURROGATE = 0xd800;

/** The tokens, or null when the text or the language needs the general way. */
export function latinTokens(
  text: string,
  choice: LanguageChoice,
  separators: Separators,
  normalizer: Normalizer,
): Token[] | null {
  const script = onlyScript(text, separators.infoTable);
  if (script === null || choice.needsText(script)) return null;
  const language = choice.resolve(script, '');
  const profile = profileOf(script, language);
  if (profile.segmenter !== null) return null;
  const normalized = (start: number, end: number): Token => {
    const { kind, lemma, ends } = normalizer.normalize(text.slice(start, end), script, language);
    return { lemma, kind, start, end, lemmaEnds: ends === null ? null : ends.map((offset) => start + offset) };
  };
  const plain = (start: number, end: number): Token => {
    const piece = text.slice(start, end);
    const lemma = profile.isLowerCased ? piece.toLowerCase() : piece;
    return { lemma, kind: TokenKind.word, start, end, lemmaEnds: null };
  };
  return cut(text, separators, { plain, normalized });
}

/** Latin, or none when the text has no letter of any script; null when it holds anything else. */
function onlyScript(text: string, info: Uint8Array): Script | null {
  let script: Script = Script.none;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const own = info[unit]! & SCRIPT_MASK;
    if (own > Script.latin || (unit & SURROGATE_BITS) === SURROGATE) return null;
    if (own === Script.latin) script = Script.latin;
  }
  return script;
}

interface TokenMakers {
  /** A word of printable ASCII. */
  plain(start: number, end: number): Token;
  /** Any piece. */
  normalized(start: number, end: number): Token;
}

function cut(text: string, separators: Separators, { plain, normalized }: TokenMakers): Token[] {
  const info = separators.infoTable;
  const tokens: Token[] = [];
  let wordStart = 0;
  let isPlain = true;
  const endWord = (end: number): void => {
    if (end > wordStart) tokens.push(isPlain ? plain(wordStart, end) : normalized(wordStart, end));
    isPlain = true;
  };
  for (let i = 0; i < text.length; ) {
    const unit = text.charCodeAt(i);
    const cutClass = info[unit]! >> CLASS_SHIFT;
    const length =
      cutClass === CutClass.none ? 0 : cutClass < CutClass.sequence ? 1 : separators.matchLength(text, i, text.length);
    if (length === 0) {
      if (unit < SPACE || unit >= DELETE) isPlain = false;
      i++;
      continue;
    }
    endWord(i);
    const isSimple = unit < DELETE && (cutClass === CutClass.soft || cutClass === CutClass.hard);
    tokens.push(isSimple ? separator(text, i, cutClass) : normalized(i, i + length));
    i += length;
    wordStart = i;
  }
  endWord(text.length);
  return tokens;
}

/** One ASCII character that is a separator. */
function separator(text: string, at: number, cutClass: CutClass): Token {
  const kind = cutClass === CutClass.soft ? TokenKind.softSeparator : TokenKind.hardSeparator;
  return { lemma: text[at]!, kind, start: at, end: at + 1, lemmaEnds: null };
}
