/**
 * The files of one segment while its documents are added: all of each file, or the parts of one
 * lane, while other threads build the other lanes.
 */
import { fitted } from '../../core/array-memory.ts';
import type { JsonTape } from '../../engine/json/json-tape.ts';
import type { Directory } from '../../engine/segment/directory.ts';
import type { SegmentFile } from '../../model/index-manifest.ts';
import type { WantedFile } from '../../segments/components.ts';
import type { BuildInput, DocumentSink, Lane } from '../../segments/contract/component.ts';
import type { DocumentEntries } from '../../segments/contract/document-entries.ts';
import {
  type BuiltPart,
  FileBuilder,
  nameFiles,
  segmentFile,
} from '../../segments/file-builder.ts';

/** Parts of a file that several lanes share. */
export interface UnjoinedFile extends WantedFile {
  readonly name: string;
  readonly parts: readonly BuiltPart[];
}

interface NewFiles {
  readonly wanted: readonly WantedFile[];
  /** Names the files; never used before in this index. */
  readonly id: string;
  /** Absent: all parts of the files. */
  readonly lane?: Lane;
}

export class SegmentFiles implements DocumentSink {
  readonly #directory: Directory;
  readonly #wanted: readonly WantedFile[];
  readonly #names: readonly string[];
  readonly #builders: readonly FileBuilder[];

  constructor(
    directory: Directory,
    { wanted, id, lane }: NewFiles,
    input: Omit<BuildInput<unknown>, 'covers'>,
  ) {
    this.#directory = directory;
    this.#wanted = wanted;
    this.#names = nameFiles(wanted, id);
    this.#builders = wanted.map((file) => new FileBuilder(file, input, lane));
  }

  get memoryBytes(): number {
    return this.#builders.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
  }

  add(docId: number, id: Uint8Array, tape: JsonTape, entries: DocumentEntries): void {
    for (const builder of this.#builders) builder.add(docId, id, tape, entries);
  }

  /** Writes the files that are complete in this lane. */
  finish(): SegmentFile[] {
    const built = this.#builders.flatMap((builder, i) =>
      builder.share === 'all' ? [builder.finish(this.#names[i] as string)] : [],
    );
    if (built.length > 0) this.#directory.createMany(built);
    return built.map(segmentFile);
  }

  /** The parts of the files that other lanes share. */
  finishParts(): UnjoinedFile[] {
    return this.#builders.flatMap((builder, i) =>
      builder.share === 'some'
        ? [
            {
              ...(this.#wanted[i] as WantedFile),
              name: this.#names[i] as string,
              parts: fitted(builder.finishParts()),
            },
          ]
        : [],
    );
  }
}
