/**
 * The form of posting lists: for each term the documents it occurs in, and in each document its
 * fields and positions. Lists follow each other in term order in one section of bytes, so a range of
 * terms is one sequential pass. Written by `posting-list-writer.ts`, read by `posting-lists.ts`.
 *
 *   list      [varint head][varint mask index, when its code is 7][documents and occurrences]
 *   head      df << 4 | allSingle << 3 | mask code     df = number of documents, 1 … 2²⁸ − 1
 *             allSingle: every document has exactly one occurrence
 *             mask code 0 … 6 is the index into section `fieldMasks`; 7 = the index follows
 *
 * Field codes. The mask has bit min(field, 31) for each field of the list. Without bit 31 a field's
 * code is its rank among the mask's bits and takes ⌈log2(number of bits)⌉ bits; with bit 31 (a wide
 * list) the code is the field number itself and takes as many bits as the segment's greatest field
 * number. An occurrence is `position << code bits | code`; those of a document ascend.
 *
 * A list of fewer than 128 documents, and the documents of a longer one after its last full block
 * ("run"):
 *
 *   run       [df × varint: DocId − DocId before − 1; the first: DocId, or minus last DocId of the blocks − 1][df × occurrences]
 *   occurrences of a document
 *     all single  varint occurrence
 *     wide list   varint count, then varints: occurrence minus the one before it (the first: itself)
 *     else        varints `value << 1 | another one follows`, value as above
 *
 * A list of at least 128 documents, after zero bytes up to a multiple of 4, in u32 words relative
 * to this base:
 *
 *   [B × (last DocId, docs word | encoding << 24, occurrences word)]   B = df >>> 7 full blocks
 *   [run of the df & 127 last documents, zero bytes up to a multiple of 4]
 *   [documents of block 0][documents of block 1] …
 *   [occurrences of block 0][occurrences of block 1] …
 *
 * Documents of a block: encoding 0 … 32 = packed differences minus one of that many bits (0:
 * consecutive numbers); 64 = a bitmap of the words from (DocId before the block + 1) >>> 5 to (last
 * DocId) >>> 5.
 *
 * Occurrences of a block, T in number:
 *
 *   [width | hasStarts << 6 | exceptions << 7]     hasStarts = 0: T = 128, one a document
 *   [T][⌈T / 32⌉ words: bit i set where occurrence i is the first of its document]    only with hasStarts
 *   [T values packed at `width` bits: occurrence minus the one before it in the document]
 *   [exceptions × (number of the value << 16 | its bits above `width`)]
 *
 * "Packed" is bytes/bitpacking.ts. Four zero words end the section, so that unpacking may look
 * ahead.
 *
 * Lists without occurrences (word counts) have mask code 0 and the same shape with the occurrences
 * left out.
 */

/** Documents of a block. */
export const BLOCK_SIZE = 128;
export const BLOCK_SHIFT = 7;
export const BITMAP_ENCODING = 64;
export const MASK_CODE_ESCAPE = 7;
export const WIDE_FIELD = 31;
export const ENTRY_WORDS = 3;
