/**
 * Classes of single bytes of UTF-8 text under the separators of an index, as far as the byte alone
 * decides.
 */
import { CLASS_SHIFT, CutClass, type Separators } from './separators.ts';

/**
 * `other` = the following bytes or normalisation decide: first bytes of sequences, control
 * characters, all bytes beyond ASCII.
 */
export const AsciiClass = { word: 0, soft: 1, hard: 2, other: 3 } as const;

/** By byte. */
export const asciiClasses = ({ infoTable }: Separators): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => {
    if (byte >= 0x7f) return AsciiClass.other;
    const cutClass = infoTable[byte]! >> CLASS_SHIFT;
    if (cutClass === CutClass.soft) return AsciiClass.soft;
    if (cutClass === CutClass.hard) return AsciiClass.hard;
    return cutClass === CutClass.none && byte >= 0x20 ? AsciiClass.word : AsciiClass.other;
  });
