/**
 * Start here: exports index by index and part by part. The position is stored after each part, so
 * that the export resumes there after a restart; a part that is sent twice contains the same
 * documents.
 */
import { ApiError } from '../core/errors.ts';
import type { SendRequest } from '../http-client/outgoing-http.ts';
import type { BatchProgress } from '../model/batch-progress.ts';
import type { ExportRequest } from '../model/export.ts';
import type { IndexManifest } from '../model/index-manifest.ts';
import { closestPattern } from '../model/index-uid-pattern.ts';
import { portableSettings } from '../model/settings.ts';
import { type ExportTiming, TargetInstance } from './target-instance.ts';

const LINE_END = 0x0a;

/** Whole lines of at most `bytesMax` together; a longer line is a part of its own. */
export function* payloadParts(lines: Uint8Array, bytesMax: number): Generator<Uint8Array> {
  let start = 0;
  while (start < lines.length) {
    let end = lines.length;
    if (end - start > bytesMax) {
      end = lines.lastIndexOf(LINE_END, start + bytesMax - 1) + 1;
      if (end <= start) end = lines.indexOf(LINE_END, start) + 1;
      if (end <= start) end = lines.length;
    }
    yield lines.subarray(start, end);
    start = end;
  }
}

export interface ExportPlace {
  readonly done: readonly string[];
  readonly current: { readonly indexUid: string; readonly fromDocId: number } | null;
  /** Documents sent so far, by index. */
  readonly sent: Readonly<Record<string, number>>;
}

/** Reads documents of an index as lines. Rejects with `ApiError`. */
export type ReadOut = (
  index: IndexManifest,
  part: { readonly filter: unknown; readonly fromDocId: number; readonly bytesMax: number },
) => Promise<{
  readonly lines: Uint8Array;
  readonly documentCount: number;
  /** null = no further documents. */
  readonly nextDocId: number | null;
}>;

export interface ExporterOptions {
  readonly send: SendRequest;
  /** All indexes in their newest state; their files are kept until the release. */
  readonly hold: () => { readonly indexes: readonly IndexManifest[]; readonly release: () => void };
  readonly readOut: ReadOut;
  readonly timing?: Partial<ExportTiming>;
}

export interface ExportRun {
  readonly request: ExportRequest;
  readonly progress: BatchProgress;
  readonly place: ExportPlace | null;
  readonly keepPlace: (place: ExportPlace) => Promise<void>;
}

/** Documents read at once. */
const READ_BYTES_MAX = 8 * 1024 ** 2;
/** Milliseconds between two checks for cancelation while a request is running. */
const LOOK_MS = 100;

const START: ExportPlace = { done: [], current: null, sent: {} };

export class Exporter {
  readonly #options: ExporterOptions;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  /** Resolves to the number of documents sent by index. @throws ApiError, BatchCanceled */
  async run(run: ExportRun): Promise<Readonly<Record<string, number>>> {
    const { progress } = run;
    const abortion = new AbortController();
    const look = setInterval(() => {
      if (progress.isCanceled) abortion.abort();
    }, LOOK_MS);
    const { send, timing, hold } = this.#options;
    const { url, apiKey } = run.request;
    const { signal } = abortion;
    const target = new TargetInstance({ url, apiKey, send, signal, timing });
    const { indexes, release } = hold();
    try {
      return await this.#run(run, indexes, target);
    } catch (error) {
      progress.throwIfCanceled();
      throw error;
    } finally {
      clearInterval(look);
      release();
    }
  }

  async #run(
    { request, progress, place: kept, keepPlace }: ExportRun,
    indexes: readonly IndexManifest[],
    target: TargetInstance,
  ) {
    const patterns = new Map(Object.entries(request.indexes));
    let place = kept ?? START;
    progress.begin('exporting documents', documentsOf(indexes));
    for (const index of indexes) {
      const pattern = closestPattern(patterns, index.uid);
      const options = pattern === undefined ? undefined : patterns.get(pattern);
      if (pattern === undefined || options === undefined || place.done.includes(index.uid)) {
        progress.advance(documentsOf([index]));
        continue;
      }
      if (place.current?.indexUid !== index.uid) {
        await prepareIndex(target, index, options.overrideSettings);
        place = { ...place, current: { indexUid: index.uid, fromDocId: 0 } };
      }
      let fromDocId: number | null = place.current?.fromDocId ?? 0;
      while (fromDocId !== null) {
        progress.throwIfCanceled();
        const { filter } = options;
        const bytesMax = Math.min(READ_BYTES_MAX, request.payloadBytesMax);
        const read = await this.#options.readOut(index, { filter, fromDocId, bytesMax });
        for (const part of payloadParts(read.lines, request.payloadBytesMax))
          await target.addDocuments(index.uid, index.primaryKey, part);
        progress.advance(read.documentCount);
        fromDocId = read.nextDocId;
        place = advanced(place, index.uid, read.documentCount, fromDocId);
        await keepPlace(place);
      }
    }
    return place.sent;
  }
}

function advanced(
  { done, sent }: ExportPlace,
  indexUid: string,
  count: number,
  fromDocId: number | null,
): ExportPlace {
  return {
    done: fromDocId === null ? [...done, indexUid] : done,
    current: fromDocId === null ? null : { indexUid, fromDocId },
    sent: { ...sent, [indexUid]: (sent[indexUid] ?? 0) + count },
  };
}

const documentsOf = (indexes: readonly IndexManifest[]): number =>
  indexes.reduce(
    (sum, { segments }) =>
      sum + segments.reduce((all, { documentCount }) => all + documentCount, 0),
    0,
  );

/** Creates the index, or checks that the documents fit into the existing one. */
async function prepareIndex(
  target: TargetInstance,
  { uid, primaryKey, settings }: IndexManifest,
  overrideSettings: boolean,
): Promise<void> {
  const there = await target.index(uid);
  if (there === null) await target.createIndex(uid, primaryKey);
  else if (there.primaryKey !== null && primaryKey !== null && there.primaryKey !== primaryKey)
    throw new ApiError(
      'internal',
      `The primary key of index \`${uid}\` is \`${primaryKey}\`, and \`${there.primaryKey}\` in the other instance.`,
    );
  if (there === null || overrideSettings)
    await target.updateSettings(uid, portableSettings(settings));
}
