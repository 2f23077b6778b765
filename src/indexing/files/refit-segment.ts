/** Adapts a segment to other settings: adds files, or rewrites the segment. */
import type { Analyzer } from '../../engine/analysis/analyzer.ts';
import type { Directory } from '../../engine/segment/directory.ts';
import { isLive } from '../../engine/sets/tombstones.ts';
import type { BatchProgress } from '../../model/batch-progress.ts';
import type { SegmentEntry, SegmentFile } from '../../model/index-manifest.ts';
import type { Settings } from '../../model/settings.ts';
import { vectorJson } from '../../model/vector-json.ts';
import {
  componentOf,
  isOfDocuments,
  planFiles,
  storedDocumentCheck,
  type WantedFile,
} from '../../segments/components.ts';
import type { DocumentSink } from '../../segments/contract/component.ts';
import { addStoredDocuments } from '../../segments/contract/stored-documents-feed.ts';
import type { VectorsCoverage } from '../../segments/vectors/vectors-component.ts';
import { DocumentWithEntries } from './document-with-entries.ts';
import { mergeOtherFiles } from './merge-segments.ts';
import { withOpenFiles } from './open-files.ts';
import type { SegmentAssembler } from './segment-assembler.ts';
import type { OpenedSegment } from './segment-cache.ts';
import { SegmentFiles } from './segment-files.ts';

interface RefitOptions {
  readonly directory: Directory;
  /** The target settings. */
  readonly settings: Settings;
  /** Names new files; never used before in this index. */
  readonly idPrefix: string;
  readonly writtenBack: readonly SegmentFile[];
  readonly progress: BatchProgress;
  /** That of the settings. */
  readonly analyzer: () => Analyzer;
  /** For segments that get these files; writes under `idPrefix`. */
  readonly assemble: (files: readonly WantedFile[]) => SegmentAssembler;
}

/** @throws ApiError when a living document lacks a form that the settings require, BatchCanceled */
export function refitSegment(segment: OpenedSegment, options: RefitOptions): SegmentEntry[] {
  const { kept, build } = planFiles(segment.entry.files, options.settings);
  if (build.some(isOfDocuments) || options.writtenBack.length > 0)
    return rewriteSegment(segment, options);
  const entry = { ...segment.entry, files: kept };
  const isFromDocuments = ({ component }: WantedFile) =>
    componentOf(component).addedFrom === 'documents';
  const added = buildFiles(segment, build.filter(isFromDocuments), options);
  const rest = build.filter((file) => !isFromDocuments(file));
  const target = { ...options, segmentId: options.idPrefix };
  const whole = { ...entry, files: [...kept, ...added] };
  return [mergeOtherFiles(rest, [{ ...segment, dead: null }], whole, target)];
}

/** Removes dead documents; unchanged files stay. */
function rewriteSegment(segment: OpenedSegment, options: RefitOptions): SegmentEntry[] {
  const { entry, reader, dead } = segment;
  const { directory, settings } = options;
  const whole = planFiles([], settings).build;
  const assembler = options.assemble(whole.filter(isOfDocuments));
  const sink = checkedBy(options, dead, assembler);
  withWrittenBack(directory, options.writtenBack, sink, (completed) =>
    addStoredDocuments(reader, dead, completed),
  );
  const outputs = assembler.finish();
  const holdsTheSame = dead === null && outputs.length === 1;
  const { kept, build } = holdsTheSame
    ? planFiles(entry.files, settings)
    : { kept: [], build: whole };
  const others = build.filter((file) => !isOfDocuments(file));
  return outputs.map((output) => {
    const files = [...output.files, ...kept.filter((file) => !isOfDocuments(file))];
    const target = { directory, settings, segmentId: output.id };
    return mergeOtherFiles(others, [segment], { ...output, files }, target);
  });
}

/** With all documents, dead ones too, because the segment's other files contain them. */
function buildFiles(
  { entry, reader, dead }: OpenedSegment,
  wanted: readonly WantedFile[],
  options: RefitOptions,
): SegmentFile[] {
  if (wanted.length === 0) return [];
  const { directory, settings, analyzer } = options;
  const input = { segmentId: entry.id, settings, analyzer };
  const files = new SegmentFiles(directory, { wanted, id: options.idPrefix }, input);
  addStoredDocuments(reader, null, checkedBy(options, dead, files));
  return files.finish();
}

/** Counts living documents and checks their form before the sink. */
function checkedBy(
  { progress, settings }: RefitOptions,
  dead: Uint32Array | null,
  sink: DocumentSink,
): DocumentSink {
  const check = storedDocumentCheck(settings);
  const decoder = new TextDecoder();
  return {
    add: (docId, id, tape, entries) => {
      progress.throwIfCanceled();
      if (isLive(docId, dead)) {
        check?.(tape, () => decoder.decode(id));
        progress.advance();
      }
      sink.add(docId, id, tape, entries);
    },
  };
}

/** @param feed passes the documents to the given sink, which completes them and passes them on */
function withWrittenBack(
  directory: Directory,
  files: readonly SegmentFile[],
  sink: DocumentSink,
  feed: (sink: DocumentSink) => void,
): void {
  withOpenFiles(directory, [files], ([opened]) => {
    const readers = files.flatMap(({ covers }, i) => {
      const reader = opened?.vectors[i];
      const { embedder } = covers as VectorsCoverage;
      return reader === undefined ? [] : [{ reader, embedder }];
    });
    const documents = new DocumentWithEntries();
    feed({
      add: (docId, id, tape, entries) => {
        const back = new Map<string, string>();
        for (const { reader, embedder } of readers) {
          const vectors = entries.node(embedder) < 0 ? reader.vectorsOf(docId) : [];
          if (vectors.length > 0) back.set(embedder, `[${vectors.map(vectorJson).join(',')}]`);
        }
        sink.add(docId, id, documents.of(tape, back), entries);
      },
    });
  });
}
