/**
 * Prefix code of the symbols 0 … n − 1 by frequency. Codes are canonical: they ascend by
 * length, then by symbol, so the lengths alone define them. A single symbol takes no bits.
 *
 * Codes follow each other in u32 words, each from its lowest bit on, and in a code the bit that
 * decides first is the lowest. Reading touches the word after the last.
 */

/** Longest code in bits: a table of 4,096 entries decodes each code in one step. */
export const CODE_BITS_MAX = 12;

/** Number of symbols that codes of this length always suffice for. */
export const SYMBOLS_MAX = 1024;

/** Bits of the code of each symbol, given how often it occurs: at least once. */
export function codeLengths(counts: readonly number[]): Uint8Array {
  for (let shift = 0; ; shift++) {
    // Raise the counts of rare symbols until no code is too long.
    const lengths = lengthsOf(counts.map((count) => Math.ceil(count / 2 ** shift)));
    if (lengths.every((length) => length <= CODE_BITS_MAX)) return lengths;
  }
}

/** Joins the two rarest symbols or groups until one is left; a symbol's length is its depth. */
function lengthsOf(counts: readonly number[]): Uint8Array {
  const leaves = counts.map((_, symbol) => symbol).sort((a, b) => counts[a]! - counts[b]! || a - b);
  const parents = new Int32Array(2 * counts.length);
  const sums: number[] = [];
  let nextLeaf = 0;
  let nextGroup = 0;
  const takeRarest = (): number => {
    const leaf = leaves[nextLeaf];
    const group = sums[nextGroup];
    if (leaf !== undefined && (group === undefined || counts[leaf]! <= group)) {
      nextLeaf++;
      return leaf;
    }
    return counts.length + nextGroup++;
  };
  const weightOf = (node: number): number => counts[node] ?? sums[node - counts.length]!;
  for (let joined = 1; joined < counts.length; joined++) {
    const a = takeRarest();
    const b = takeRarest();
    parents[a] = parents[b] = counts.length + sums.length;
    sums.push(weightOf(a) + weightOf(b));
  }
  const depths = new Uint8Array(2 * counts.length);
  for (let node = counts.length + sums.length - 2; node >= 0; node--)
    depths[node] = depths[parents[node]!]! + 1;
  return depths.slice(0, counts.length);
}

/** Calls `visit` for each symbol with its code, lowest bit first. */
function forEachCode(
  lengths: ArrayLike<number>,
  visit: (symbol: number, code: number, length: number) => void,
): void {
  let code = 0;
  for (let length = 1; length <= CODE_BITS_MAX; length++, code <<= 1) {
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] !== length) continue;
      visit(symbol, reversed(code, length), length);
      code++;
    }
  }
}

function reversed(code: number, length: number): number {
  let out = 0;
  for (let bit = 0; bit < length; bit++) out |= ((code >>> bit) & 1) << (length - 1 - bit);
  return out;
}

/** The codes of the symbols one after the other, from a word's beginning to a word's end. */
export function encodeSymbols(symbols: ArrayLike<number>, lengths: Uint8Array): Uint32Array {
  const codes = new Uint16Array(lengths.length);
  forEachCode(lengths, (symbol, code) => {
    codes[symbol] = code;
  });
  let bits = 0;
  for (let i = 0; i < symbols.length; i++) bits += lengths[symbols[i]!]!;
  const words = new Uint32Array((bits + 31) >>> 5);
  for (let i = 0, at = 0; i < symbols.length; i++) {
    const length = lengths[symbols[i]!]!;
    const code = codes[symbols[i]!]!;
    const shift = at & 31;
    words[at >>> 5]! |= code << shift;
    if (shift + length > 32) words[(at >>> 5) + 1]! |= code >>> (32 - shift);
    at += length;
  }
  return words;
}

/**
 * Table of the next bits: entry `bits & (length − 1)` is `value << 4 | bits of the code`.
 * @param values below 4,096; of each symbol
 */
export function decodingTable(lengths: ArrayLike<number>, values: ArrayLike<number>): Uint16Array {
  let longest = 0;
  for (let i = 0; i < lengths.length; i++) longest = Math.max(longest, lengths[i]!);
  const table = new Uint16Array(1 << Math.min(longest, CODE_BITS_MAX));
  if (longest === 0) table[0] = values[0]! << 4;
  forEachCode(lengths, (symbol, code, length) => {
    const entry = (values[symbol]! << 4) | length;
    for (let bits = code; bits < table.length; bits += 1 << length) table[bits] = entry;
  });
  return table;
}
