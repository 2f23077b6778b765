/** Converts a vector to JSON text. */

/** 32-bit floats with the fewest digits that read back as the same float. */
export const vectorJson = (vector: Float32Array): string =>
  `[${Array.from(vector, shortestDigits).join(',')}]`;

/** 9 significant digits distinguish all 32-bit floats; 6 to 8 are often enough. */
function shortestDigits(value: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return String(rounded);
  }
  return String(Number(value.toPrecision(9)));
}
