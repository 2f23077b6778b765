/** The option `--delimiter` of commands that read CSV. */
import type { UploadFormat } from '../../model/upload.ts';
import { type GivenOptions, textOption } from '../command.ts';
import { CommandFailure, EXIT } from '../command-failure.ts';

export const DELIMITER_OPTION = {
  'delimiter CHARACTER': 'csv: between the values of a line, also `tab` (default: ,)',
} as const;

/** null if the option is absent. @throws CommandFailure */
export function csvDelimiter(options: GivenOptions, format: UploadFormat): string | null {
  const given = textOption(options, 'delimiter');
  if (given === null) return null;
  if (format !== 'csv')
    throw new CommandFailure(`--delimiter is for csv, not for ${format}`, EXIT.usage);
  const character = given === 'tab' ? '\t' : given;
  if (character.length === 1 && character < '\x80') return character;
  throw new CommandFailure(
    `--delimiter takes one ASCII character or \`tab\`, not \`${given}\``,
    EXIT.usage,
  );
}
