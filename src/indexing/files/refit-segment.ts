/** A segment brought to other settings: files added, or all of it written anew. */
import type { Analyzer } from '../../engine/analysis/analyzer.ts';
import type { Directory } from '../../engine/segment/directory.ts';
import { isLive } from '../../engine/sets/tombstones.ts';
import type { BatchProgress } from '../../model/batch-progress.ts';
import type { SegmentEntry, SegmentFile } from '../../model/index-manifest.ts';
import type { Settings } from '../../model/settings.ts';
import {
  isOfDocuments,
  planFiles,
  storedDocumentCheck,
  type WantedFile,
} from '../../segments/components.ts';
import type { DocumentCheck, DocumentSink } from '../../segments/contract/component.ts';
import { addStoredDocuments } from '../../segments/contract/stored-documents-feed.ts';
import { FileBuilder, nameFiles, segmentFile } from '../../segments/file-builder.ts';
import { mergeOtherFiles } from './merge-segments.ts';
import type { SegmentAssembler } from './segment-assembler.ts';
import type { OpenedSegment } from './segment-cache.ts';

export interface RefitOptions {
  readonly directory: Directory;
  /** Those that the segment is brought to. */
  readonly settings: Settings;
  /** Names new files; never used before in this index. */
  readonly idPrefix: string;
  /** Counts the documents that live. */
  readonly progress: BatchProgress;
  /** That of the settings. */
  readonly analyzer: () => Analyzer;
  /** For segments that get these files; writes under `idPrefix`. */
  readonly assemble: (files: readonly WantedFile[]) => SegmentAssembler;
}

/** @throws ApiError when a living document is not what the settings ask for, BatchCanceled */
export function refitSegment(segment: OpenedSegment, options: RefitOptions): SegmentEntry[] {
  const { kept, build } = planFiles(segment.entry.files, options.settings);
  if (build.some(isOfDocuments)) return rewriteSegment(segment, options);
  return [{ ...segment.entry, files: [...kept, ...buildFiles(segment, build, options)] }];
}

/** Documents without their dead; files of which nothing has changed stay. */
function rewriteSegment(segment: OpenedSegment, options: RefitOptions): SegmentEntry[] {
  const { entry, reader, dead } = segment;
  const { directory, settings } = options;
  const whole = planFiles([], settings).build;
  const assembler = options.assemble(whole.filter(isOfDocuments));
  const check = storedDocumentCheck(planFiles(entry.files, settings).build, settings);
  addStoredDocuments(reader, dead, checkedBy(check, options, dead, assembler));
  const outputs = assembler.finish();
  const holdsTheSame = dead === null && outputs.length === 1;
  const { kept, build } = holdsTheSame
    ? planFiles(entry.files, settings)
    : { kept: [], build: whole };
  const others = build.filter((file) => !isOfDocuments(file));
  return outputs.map((output) => {
    const files = [...output.files, ...kept];
    const target = { directory, settings, segmentId: output.id };
    return mergeOtherFiles(others, [segment], { ...output, files }, target);
  });
}

/** With all documents, dead ones too, since the others of the segment have them. */
function buildFiles(
  { entry, reader, dead }: OpenedSegment,
  wanted: readonly WantedFile[],
  options: RefitOptions,
): SegmentFile[] {
  const { directory, settings, analyzer } = options;
  const input = { segmentId: entry.id, settings, analyzer };
  const builders = wanted.map((file) => new FileBuilder(file, input));
  const all: DocumentSink = {
    add: (...document) => {
      for (const builder of builders) builder.add(...document);
    },
  };
  const check = storedDocumentCheck(wanted, settings);
  addStoredDocuments(reader, null, checkedBy(check, options, dead, all));
  const names = nameFiles(wanted, options.idPrefix);
  const files = builders.map((builder, i) => builder.finish(names[i] as string));
  directory.createMany(files);
  return files.map(segmentFile);
}

/** Counts living documents and checks their form on their way to the sink. */
function checkedBy(
  check: DocumentCheck | null,
  { progress }: RefitOptions,
  dead: Uint32Array | null,
  sink: DocumentSink,
): DocumentSink {
  const decoder = new TextDecoder();
  return {
    add: (docId, id, tape) => {
      progress.throwIfCanceled();
      if (isLive(docId, dead)) {
        check?.(tape, () => decoder.decode(id));
        progress.advance();
      }
      sink.add(docId, id, tape);
    },
  };
}
