/**
 * `gannet verify`: reads and checks every byte of a data folder that no server has open; with
 * `--source`, compares an index of a running server with the documents that it was made from.
 */
import { counted } from '../../core/counted.ts';
import { type Command, type CommandCall, numberOption, textOption } from '../command.ts';
import { CommandFailure, EXIT } from '../command-failure.ts';
import { compareSource } from '../documents/compare-source.ts';
import { ownEntries } from '../own-entries.ts';

interface Checker {
  checkIndex(dir: string, print: (line: string) => void): Promise<0 | 1 | 2>;
}

const DIFFERENCES_DEFAULT = 100;

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'Checks every file of a data folder that no server has open, or an index by its source',
  usage: 'DIR | --source FILE|URL --index UID',
  arguments: [0, 1],
  asksServer: true,
  options: {
    'source FILE|URL': 'documents that the index should have: JSON or NDJSON, also gzipped',
    'index UID': 'the index to compare with the source',
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

async function compare(call: CommandCall, source: string, indexUid: string): Promise<number> {
  const { instance, terminal, options } = call;
  const differencesMax = Math.max(1, numberOption(options, 'limit', DIFFERENCES_DEFAULT));
  const found = await compareSource({ instance, terminal, indexUid, source, differencesMax });
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
