/** The texts of a column that are one text but for the forms of its Chinese characters. */
import { formsOf } from '../../engine/analysis/languages/chinese-variants.ts';
import type { StringValues } from '../../engine/columns/columns.ts';
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
 * The spellings of a text with which values of the column begin. Grown character by character, so
 * that no more are at hand than the column has values.
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
