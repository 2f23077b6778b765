/** Start here: the table of segment components, and functions derived from it. */

import type { VectorsFile } from '../engine/vectors/vectors-reader.ts';
import type { SegmentEntry, SegmentFile } from '../model/index-manifest.ts';
import type { Settings } from '../model/settings.ts';
import { columnsComponent } from './columns/columns-component.ts';
import type { DocumentCheck, FileReader, SegmentComponent } from './contract/component.ts';
import { documentsComponent } from './documents/documents-component.ts';
import { type VectorsCoverage, vectorsComponent } from './vectors/vectors-component.ts';

/** In the order in which the files of a segment are built. */
const COMPONENTS = {
  documents: documentsComponent,
  columns: columnsComponent,
  vectors: vectorsComponent,
} as const;

export type ComponentName = keyof typeof COMPONENTS;

export const COMPONENT_NAMES = Object.keys(COMPONENTS) as readonly ComponentName[];

export const componentOf = (name: string): SegmentComponent => {
  if (!Object.hasOwn(COMPONENTS, name))
    throw new Error(`a segment names the component \`${name}\`, which this release does not have`);
  return COMPONENTS[name as ComponentName];
};

/** A file to build. */
export interface WantedFile {
  readonly component: ComponentName;
  readonly covers: unknown;
}

/** The files of a segment that are kept under the settings, and the files to build. */
export interface SegmentPlan {
  readonly kept: readonly SegmentFile[];
  readonly build: readonly WantedFile[];
}

/** @param files of the segment; none for a new one */
export function planFiles(files: readonly SegmentFile[], settings: Settings): SegmentPlan {
  const plans = COMPONENT_NAMES.map((component) => {
    const own = files.filter((file) => file.component === component);
    const { kept, build } = componentOf(component).plan(own, settings);
    return { kept, build: build.map((covers): WantedFile => ({ component, covers })) };
  });
  return {
    kept: plans.flatMap(({ kept }) => kept),
    build: plans.flatMap(({ build }) => build),
  };
}

/**
 * Name of a segment file, or of a file that is added to a segment later. @param id must never have
 * been used in the index's folder @param place position among the component's files with this id
 */
export const fileName = (component: ComponentName, id: string, place = 0): string =>
  `${id}${place === 0 ? '' : `_${place}`}${COMPONENTS[component].extension}`;

/**
 * Checks of documents, as `SegmentComponent.check` says. The error of an earlier check is reported before those of later ones,
 * whichever document has it: vectors before geographic positions, as in Meilisearch.
 */
export const documentChecks = (settings: Settings, wereStored: boolean): readonly DocumentCheck[] =>
  COMPONENT_NAMES.toReversed().flatMap(
    (name) => componentOf(name).check(settings, wereStored) ?? [],
  );

/** All checks of stored documents as one; null if every document is valid. */
export function storedDocumentCheck(settings: Settings): DocumentCheck | null {
  const checks = documentChecks(settings, true);
  if (checks.length === 0) return null;
  return (tape, documentId) => {
    for (const check of checks) check(tape, documentId);
  };
}

/** True for the file that every segment has. */
export const isOfDocuments = ({ component }: { readonly component: string }): boolean =>
  component === 'documents';

/** The file that every segment has. */
export function documentsFile({ id, files }: SegmentEntry): SegmentFile {
  const found = files.find(isOfDocuments);
  if (found === undefined) throw new Error(`segment ${id} has no file of its documents`);
  return found;
}

/** The readers of a segment's files by component, in the files' order. */
export type SegmentReaders = {
  readonly [Name in ComponentName]: ReturnType<(typeof COMPONENTS)[Name]['open']>[];
};

/** Vectors by embedder, from a segment's files, all of which are open. */
export function vectorsByEmbedder(
  files: readonly SegmentFile[],
  { vectors }: SegmentReaders,
): Map<string, VectorsFile> {
  const covered = files.filter(({ component }) => component === 'vectors');
  const names = covered.map(({ covers }) => (covers as VectorsCoverage).embedder);
  return new Map(names.flatMap((name, i) => (vectors[i] ? [[name, vectors[i]]] : [])));
}

/** @param open returns the opened file, given the component's reader */
export function openFiles(
  files: readonly SegmentFile[],
  open: (file: SegmentFile, read: (bytes: Uint8Array) => FileReader) => FileReader,
): SegmentReaders {
  const readers = Object.fromEntries(
    COMPONENT_NAMES.map((name): [string, FileReader[]] => [name, []]),
  );
  for (const file of files) {
    const component = componentOf(file.component);
    const reader = open(file, (bytes) => component.open(file.name, bytes));
    readers[file.component]?.push(reader);
  }
  // Each list holds the readers of its own component.
  return readers as unknown as SegmentReaders;
}
