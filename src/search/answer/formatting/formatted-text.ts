/**
 * One text with its matches marked and cut to its crop window, as the inside of a JSON string
 * (relevance.md 6.4).
 */
import { encodeUtf8 } from '../../../engine/bytes/utf8.ts';
import type { ByteBuffer } from '../../../engine/json/byte-buffer.ts';
import type { SearchRequest } from '../../../model/search.ts';
import type { MatchedText } from './document-texts.ts';
import { pushPart } from './leaf-text.ts';

/** Strings inserted into formatted texts, as parts of JSON strings. */
export interface Marks {
  readonly preTag: Uint8Array;
  readonly postTag: Uint8Array;
  readonly cropMarker: Uint8Array;
}

export function marksOf({
  highlightPreTag,
  highlightPostTag,
  cropMarker,
}: Pick<SearchRequest, 'highlightPreTag' | 'highlightPostTag' | 'cropMarker'>): Marks {
  const mark = (text: string): Uint8Array => encodeUtf8(JSON.stringify(text).slice(1, -1));
  return {
    preTag: mark(highlightPreTag),
    postTag: mark(highlightPostTag),
    cropMarker: mark(cropMarker),
  };
}

export function writeFormattedText(
  matched: MatchedText,
  isHighlighted: boolean,
  marks: Marks,
  out: ByteBuffer,
): void {
  const { text, matches, window } = matched;
  if (window.start > text.start) out.pushBytes(marks.cropMarker);
  let written = window.start;
  for (const match of isHighlighted ? matches : []) {
    const from = Math.max(match.start, window.start);
    const to = Math.min(match.end, window.end);
    if (from >= to) continue;
    pushPart(text, written, from, out);
    out.pushBytes(marks.preTag);
    pushPart(text, from, to, out);
    out.pushBytes(marks.postTag);
    written = to;
  }
  pushPart(text, written, window.end, out);
  if (window.end < text.end) out.pushBytes(marks.cropMarker);
}
