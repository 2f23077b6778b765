/** The sum of some numbers. */
export const sumOf = (numbers: readonly number[]): number =>
  numbers.reduce((sum, each) => sum + each, 0);
