/**
 * Highlights arrive as text between two characters of Unicode's private use area, so that HTML in
 * documents or tags is never rendered. Pure.
 */

export const MARK_START = '\uE000';
export const MARK_END = '\uE001';

export interface TextPiece {
  readonly text: string;
  readonly isMarked: boolean;
}

/** Splits the text at its marks; unpaired marks are ignored. */
export function piecesOf(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  const add = (piece: string, isMarked: boolean) => {
    if (piece !== '') pieces.push({ text: piece, isMarked });
  };
  let at = 0;
  while (at < text.length) {
    const start = text.indexOf(MARK_START, at);
    const end = start < 0 ? -1 : text.indexOf(MARK_END, start);
    if (end < 0) break;
    add(text.slice(at, start), false);
    add(text.slice(start + 1, end), true);
    at = end + 1;
  }
  add(text.slice(at), false);
  return pieces;
}

/** The text without its marks. */
export const unmarked = (text: string): string =>
  piecesOf(text)
    .map((piece) => piece.text)
    .join('');

/** A value of any type as text; objects as JSON. */
export const shownValue = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
