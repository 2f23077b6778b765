/**
 * The parts of one lane of one segment's files, which a thread builds while other threads build the
 * other lanes.
 */
import { fitted } from '../../core/array-memory.ts';
import type { Analyzer } from '../../engine/analysis/analyzer.ts';
import type { JsonTape } from '../../engine/json/json-tape.ts';
import type { Directory } from '../../engine/segment/directory.ts';
import type { SegmentFile } from '../../model/index-manifest.ts';
import type { Settings } from '../../model/settings.ts';
import { planFiles, type WantedFile } from '../../segments/components.ts';
import type { DocumentSink, Lane } from '../../segments/contract/component.ts';
import type { DocumentEntries } from '../../segments/contract/document-entries.ts';
import {
  type BuiltPart,
  FileBuilder,
  nameFiles,
  segmentFile,
} from '../../segments/file-builder.ts';

export interface LaneOptions {
  readonly directory: Directory;
  readonly segmentId: string;
  readonly settings: Settings;
  /** That of the settings. */
  readonly analyzer: () => Analyzer;
}

interface LaneFile {
  readonly wanted: WantedFile;
  readonly name: string;
  readonly builder: FileBuilder;
}

export class LaneAssembler implements DocumentSink {
  readonly #directory: Directory;
  readonly #files: readonly LaneFile[];

  constructor(lane: Lane, { directory, segmentId, settings, analyzer }: LaneOptions) {
    this.#directory = directory;
    const { build } = planFiles([], settings);
    const names = nameFiles(build, segmentId);
    this.#files = build.map((wanted, i) => ({
      wanted,
      name: names[i] as string,
      builder: new FileBuilder(wanted, { segmentId, settings, analyzer }, lane),
    }));
  }

  add(docId: number, id: Uint8Array, tape: JsonTape, entries: DocumentEntries): void {
    for (const { builder } of this.#files) builder.add(docId, id, tape, entries);
  }

  /**
   * Writes the files that are complete in this lane; returns the parts of files that several lanes
   * share.
   */
  finish(): {
    readonly written: readonly SegmentFile[];
    readonly unjoined: readonly (WantedFile & {
      readonly name: string;
      readonly parts: readonly BuiltPart[];
    })[];
  } {
    const built = this.#files
      .filter(({ builder }) => builder.share === 'all')
      .map(({ name, builder }) => builder.finish(name));
    if (built.length > 0) this.#directory.createMany(built);
    const unjoined = this.#files
      .filter(({ builder }) => builder.share === 'some')
      .map(({ wanted, name, builder }) => ({
        ...wanted,
        name,
        parts: fitted(builder.finishParts()),
      }));
    return { written: built.map(segmentFile), unjoined };
  }
}
