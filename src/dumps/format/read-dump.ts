/** Reads an unpacked dump of any supported version. */
import { textOrNull } from '../../core/json.ts';
import { type Dump, type DumpFiles, DumpRefused, parseObject } from './dump.ts';
import { readV5 } from './v5-dump.ts';
import { readV6 } from './v6-dump.ts';
import { V6 } from './v6-layout.ts';

/** @throws DumpRefused */
export async function readDump(files: DumpFiles): Promise<Dump> {
  if (!files.has(V6.metadata))
    throw new DumpRefused('the archive is no dump: it holds no metadata.json');
  const { dumpVersion, dbVersion, dumpDate } = parseObject(
    await files.text(V6.metadata),
    V6.metadata,
  );
  const about = {
    version: String(dumpVersion),
    serverVersion: String(dbVersion ?? 'unknown'),
    date: textOrNull(dumpDate),
  };
  if (dumpVersion === 'V6') return readV6(files, about);
  if (dumpVersion === 'V5') return readV5(files, about);
  throw new DumpRefused(
    `the dump has the version ${about.version}; this program reads V5 and V6: import it into a newer release of the server that made it, and make a dump there`,
  );
}
