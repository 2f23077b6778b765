/** Reads an unpacked dump of any supported version. */
import { textOrNull } from '../../core/json.ts';
import { type Dump, type DumpFiles, DumpRefused, parseObject } from './dump.ts';
import { readV1, readV3 } from './early-dumps.ts';
import { readV5 } from './v5-dump.ts';
import { readV6 } from './v6-dump.ts';
import { V6 } from './v6-layout.ts';

/** @throws DumpRefused */
export async function readDump(files: DumpFiles): Promise<Dump> {
  if (!files.has(V6.metadata))
    throw new DumpRefused('the archive is no dump: it holds no metadata.json');
  const metadata = parseObject(await files.text(V6.metadata), V6.metadata);
  const { dumpVersion, dbVersion, dumpDate } = metadata;
  const about = {
    version: String(dumpVersion),
    serverVersion: String(dbVersion ?? 'unknown'),
    date: textOrNull(dumpDate),
  };
  if (dumpVersion === 'V6') return readV6(files, about);
  if (dumpVersion === 'V5' || dumpVersion === 'V4') return readV5(files, about);
  if (dumpVersion === 'V3' || dumpVersion === 'V2') return readV3(files, about);
  if (dumpVersion === 'V1') return readV1(files, about, metadata['indexes']);
  throw new DumpRefused(`the dump has the version ${about.version}; this program reads V1 to V6`);
}
