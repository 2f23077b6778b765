/** Strings of a column that equal a text except for variants of Chinese characters. */
import { formsOf } from '../../engine/analysis/languages/chinese-variants.ts';
import type { StringValues } from '../../engine/columns/columns-reader.ts';
import type { FilterClock } from '../../model/filter/filter-clock.ts';

const utf8 = new TextEncoder();

function isBeginningOfValue(column: StringValues, text: string): boolean {
  const beginning = utf8.encode(text);
  const ordinal = column.lowerBound(beginning);
  if (ordinal === column.count) return false;
  const value = column.bytesAt(ordinal);
  return beginning.every((byte, i) => value[i] === byte);
}

/**
 * Spellings of a text that are prefixes of column values. Built character by character, so that the
 * number of spellings never exceeds the number of column values.
 */
export function spellingsIn(column: StringValues, text: string, clock: FilterClock): string[] {
  let spellings = [''];
  for (const character of text) {
    const forms = formsOf(character) ?? [character];
    const longer = spellings.flatMap((spelling) => forms.map((form) => spelling + form));
    spellings = longer.filter((spelling) => {
      clock.tick();
      return isBeginningOfValue(column, spelling);
    });
    if (spellings.length === 0) break;
  }
  return spellings;
}
