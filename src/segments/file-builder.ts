/** Builds one segment file, or some of its parts, from documents. */
import type { JsonTape } from '../engine/json/json-tape.ts';
import type { NewFile } from '../engine/segment/directory.ts';
import type { SegmentFile } from '../model/index-manifest.ts';
import { type ComponentName, componentOf, fileName, type WantedFile } from './components.ts';
import type { BuildInput, DocumentSink, Lane, PartBuilder } from './contract/component.ts';
import type { DocumentEntries } from './contract/document-entries.ts';

/** A built file before it is written. */
export interface BuiltFile extends NewFile, WantedFile {}

/** The result of one part of a file. */
export interface BuiltPart {
  /** Position of the part in its component's list. */
  readonly part: number;
  readonly data: unknown;
}

export class FileBuilder implements DocumentSink {
  /** Which parts of the file it builds. */
  readonly share: 'all' | 'some' | 'none';
  readonly #file: WantedFile;
  readonly #parts: readonly { readonly part: number; readonly builder: PartBuilder }[];

  /** @param lane absent: all parts; else the parts of the lane, possibly none */
  constructor(file: WantedFile, input: Omit<BuildInput<unknown>, 'covers'>, lane?: Lane) {
    const { parts } = componentOf(file.component);
    this.#file = file;
    this.#parts = parts.flatMap((part, index) =>
      lane === undefined || part.lane === lane
        ? [{ part: index, builder: part.builder({ ...input, covers: file.covers }) }]
        : [],
    );
    const { length } = this.#parts;
    this.share = length === parts.length ? 'all' : length === 0 ? 'none' : 'some';
  }

  get memoryBytes(): number {
    return this.#parts.reduce((sum, { builder }) => sum + builder.memoryBytes, 0);
  }

  add(docId: number, id: Uint8Array, tape: JsonTape, entries: DocumentEntries): void {
    for (const { builder } of this.#parts) builder.add(docId, id, tape, entries);
  }

  finishParts(): BuiltPart[] {
    return this.#parts.map(({ part, builder }) => ({ part, data: builder.finish() }));
  }

  /** Requires all parts. */
  finish(name: string): BuiltFile {
    return joinParts(this.#file, name, this.finishParts());
  }
}

/** @param parts all parts of the file, in any order */
export function joinParts(
  { component, covers }: WantedFile,
  name: string,
  parts: readonly BuiltPart[],
): BuiltFile {
  const inOrder = [...parts].sort((a, b) => a.part - b.part).map(({ data }) => data);
  return { component, covers, name, parts: componentOf(component).frame(inOrder) };
}

export const segmentFile = ({ component, name, parts, covers }: BuiltFile): SegmentFile => ({
  component,
  name,
  bytes: parts.reduce((sum, { length }) => sum + length, 0),
  covers,
});

/**
 * Names the files of a segment, in order. @param id must never have been used in the index's folder
 */
export function nameFiles(files: readonly WantedFile[], id: string): string[] {
  const places = new Map<ComponentName, number>();
  return files.map(({ component }) => {
    const place = places.get(component) ?? 0;
    places.set(component, place + 1);
    return fileName(component, id, place);
  });
}
