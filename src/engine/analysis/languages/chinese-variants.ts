/**
 * Simplified, traditional, regional and Japanese forms of one Chinese character, by the dictionaries
 * of OpenCC: forms that any of them connects are one class.
 */
import hongKong from 'opencc-js/dict/HKVariants';
import japanese from 'opencc-js/dict/JPShinjitaiCharacters';
import japaneseReverse from 'opencc-js/dict/JPShinjitaiCharactersRev';
import simplified from 'opencc-js/dict/STCharacters';
import traditional from 'opencc-js/dict/TSCharacters';
import taiwan from 'opencc-js/dict/TWVariants';

/**
 * Japanese forms that are another common word in Chinese, such as 沪 (Shanghai), in Japan a form of
 * 濾 (filter), or that stand for several characters: they would connect unrelated characters.
 */
const OTHER_WORDS_IN_CHINESE: ReadonlySet<string> = new Set('予弁欠沪');

const pairsOf = (dictionary: string): [string, string][] =>
  dictionary.split('|').map((pair) => pair.split(' ') as [string, string]);

const isOfChinese = (pair: readonly [string, string]): boolean =>
  !pair.some((form) => OTHER_WORDS_IN_CHINESE.has(form));

/**
 * Each form of a class of several → all forms of the class, sorted; the first represents the class.
 */
function connectedForms(): ReadonlyMap<string, readonly string[]> {
  const chinese = [simplified, traditional, taiwan, hongKong].flatMap(pairsOf);
  const japaneseForms = [japanese, japaneseReverse].flatMap(pairsOf).filter(isOfChinese);
  const classes = new Map<string, string[]>();
  for (const [a, b] of [...chinese, ...japaneseForms]) {
    const [left, right] = [classes.get(a) ?? [a], classes.get(b) ?? [b]];
    if (left === right) continue;
    const joined = [...left, ...right];
    for (const form of joined) classes.set(form, joined);
  }
  for (const forms of new Set(classes.values())) forms.sort();
  return classes;
}

/** Created when the first Chinese character comes. */
let classes: ReadonlyMap<string, readonly string[]> | null = null;

/** All forms of a character; null when it has only one. */
export function formsOf(character: string): readonly string[] | null {
  classes ??= connectedForms();
  return classes.get(character) ?? null;
}

/** The form that represents all forms of a character. */
export const foldChineseVariant = (character: string): string =>
  formsOf(character)?.[0] ?? character;

/** Only the planes of ideographs have characters with several forms. */
const IDEOGRAPH = /[\u3400-\u9fff\u{20000}-\u{3ffff}]/u;
const IDEOGRAPHS = /[\u3400-\u9fff\u{20000}-\u{3ffff}]/gu;

/** Whether other forms of its characters can spell the text. */
export const hasVariants = (text: string): boolean =>
  IDEOGRAPH.test(text) && Array.from(text).some((character) => formsOf(character) !== null);

/** The text with every character replaced by the form that represents its class. */
export const foldChineseVariants = (text: string): string =>
  text.replace(IDEOGRAPHS, foldChineseVariant);
