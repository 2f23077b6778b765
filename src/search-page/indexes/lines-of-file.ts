/**
 * The error message of a part with its line counted from the start of the file. Pure.
 * @param linesBefore lines of the file before the part
 */
export const inLinesOfFile = (message: string, linesBefore: number): string =>
  message.replace(
    /\(line (\d+), column (\d+), byte \d+\)/,
    (_, line: string, column: string) =>
      `(line ${Number(line) + linesBefore} of the file, column ${column})`,
  );
