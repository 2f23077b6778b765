/**
 * `gannet verify`: reads and checks every byte of a data folder that no server has open; with
 * `--source`, compares an index of a running server with the documents that it was made from.
 */
import { counted } from '../../core/counted.ts';
import { type Command, type CommandCall, numberOption, textOption } from '../command.ts';
import { CommandFailure, EXIT } from '../command-failure.ts';
import { compareSource } from '../documents/compare-source.ts';
import { DELIMITER_OPTION } from '../documents/file-parts.ts';
import { type SourceDocument, sourceDocuments } from '../documents/source-documents.ts';
import { ownEntries } from '../own-entries.ts';
import {
  isPostgresAddress,
  rowDocuments,
  SourceInterrupted,
  withoutPassword,
} from '../sync/change-source.ts';
import { mappingsOf } from '../sync/mapping.ts';

interface Checker {
  checkIndex(dir: string, print: (line: string) => void): Promise<0 | 1 | 2>;
}

const DIFFERENCES_DEFAULT = 100;

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'Checks every file of a data folder that no server has open, or an index by its source',
  usage: 'DIR | --source FILE|URL|postgres://… --index UID',
  arguments: [0, 1],
  asksServer: true,
  options: {
    'source FILE|URL': 'documents that the index should have: JSON, NDJSON or CSV, also gzipped',
    'index UID': 'the index to compare with the source',
    ...DELIMITER_OPTION,
    'mapping FILE': 'of `gannet sync`, if the source is an address of PostgreSQL',
    'tables LIST': 'tables that become indexes of their names, instead of --mapping',
    'limit N': `differences after which the search for more ends (default: ${DIFFERENCES_DEFAULT})`,
  },
  run(call) {
    const source = textOption(call.options, 'source');
    const indexUid = textOption(call.options, 'index');
    const [dir] = call.arguments;
    if (source !== null && indexUid !== null && dir === undefined)
      return compare(call, source, indexUid);
    if (source === null && indexUid === null && dir !== undefined) return check(call, dir);
    throw new CommandFailure(
      'verify takes the folder DIR, or both --source and --index',
      EXIT.usage,
    );
  },
};

async function check({ terminal }: CommandCall, dir: string): Promise<number> {
  const { checkIndex } = (await import(ownEntries.checkIndex.href)) as Checker;
  const lines: string[] = [];
  const code = await checkIndex(dir, (line) => {
    lines.push(line);
    terminal.print(line);
  });
  terminal.json({ folder: dir, isSound: code === EXIT.done, report: lines });
  return code === EXIT.done ? EXIT.done : EXIT.failed;
}

async function compare(call: CommandCall, place: string, indexUid: string): Promise<number> {
  const { instance, terminal, options } = call;
  const differencesMax = Math.max(1, numberOption(options, 'limit', DIFFERENCES_DEFAULT));
  const { documents, close } = isPostgresAddress(place)
    ? await openRows(call, place, indexUid)
    : { documents: () => sourceDocuments(place, options), close: async () => undefined };
  const source = withoutPassword(place);
  const compared = { instance, terminal, indexUid, source, documents, differencesMax };
  const found = await compareSource(compared).finally(close);
  const { isEqual, isCut, missing, surplus, changed, numberOfDocuments } = found;
  terminal.json({ source, indexUid, ...found });
  if (isEqual) {
    terminal.print(
      `${indexUid} equals ${source}: ${counted(numberOfDocuments.index, 'document')}, fingerprint ${found.fingerprint}`,
    );
    const repeated = numberOfDocuments.source - numberOfDocuments.index;
    if (repeated > 0)
      terminal.note(
        `${source} has ${counted(repeated, 'document')} whose id comes again later; the last one counts`,
      );
    return EXIT.done;
  }
  for (const [what, ids] of [
    [`not in ${indexUid}`, missing],
    [`not in ${source}`, surplus],
    ['different', changed],
  ] as const)
    for (const id of ids) terminal.print(`${what}: ${id}`);
  if (isCut) terminal.note(`there may be more differences: raise --limit ${differencesMax}`);
  return EXIT.failed;
}

interface OpenRows {
  documents(): AsyncIterable<SourceDocument>;
  close(): Promise<void>;
}

/** The rows that the index follows. */
async function openRows(call: CommandCall, address: string, indexUid: string): Promise<OpenRows> {
  const mappings = mappingsOf(call).filter(({ uid }) => uid === indexUid);
  if (mappings.length === 0)
    throw new CommandFailure(`the mapping has no index \`${indexUid}\``, EXIT.usage);
  const { PostgresSource } = await import('../sync/postgres-source.ts');
  const note = (line: string): void => call.terminal.note(line);
  const source = new PostgresSource({ address, slot: '', publication: '', mappings, note });
  const close = (): Promise<void> => source.close();
  try {
    await source.describe();
  } catch (thrown) {
    await close();
    const error = source.failure(thrown);
    throw error instanceof SourceInterrupted ? new CommandFailure(error.message) : error;
  }
  return { documents: () => rowDocuments(source.rows(indexUid, null)), close };
}
