/** One text with its matches marked and cut to its crop window, as the inside of a JSON string (relevance.md 6.4). */
import type { ByteBuffer } from '../../engine/json/byte-buffer.ts';
import { cropWindow } from './crop-window.ts';
import type { LeafFormat } from './field-plan.ts';
import type { MatchedText } from './text-matcher.ts';

/** What is put into formatted texts, escaped for JSON strings. */
export interface Marks {
  readonly preTag: string;
  readonly postTag: string;
  readonly cropMarker: string;
}

/** The inside of the JSON string of a text. */
export const escapeText = (text: string): string => JSON.stringify(text).slice(1, -1);

/** @param needsEscapes false when no character of the text needs an escape */
export function writeFormattedText(
  matched: MatchedText,
  format: LeafFormat,
  marks: Marks,
  needsEscapes: boolean,
  out: ByteBuffer,
): void {
  const { text, matches } = matched;
  const { start, end } = format.cropWords > 0 ? cropWindow(matched, format.cropWords) : { start: 0, end: text.length };
  const push = (from: number, to: number): void => {
    const part = text.slice(from, to);
    out.pushText(needsEscapes ? escapeText(part) : part);
  };
  if (start > 0) out.pushText(marks.cropMarker);
  let written = start;
  for (const match of format.isHighlighted ? matches : []) {
    const from = Math.max(match.start, start);
    const to = Math.min(match.end, end);
    if (from >= to) continue;
    push(written, from);
    out.pushText(marks.preTag);
    push(from, to);
    out.pushText(marks.postTag);
    written = to;
  }
  push(written, end);
  if (end < text.length) out.pushText(marks.cropMarker);
}
