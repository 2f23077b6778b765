/**
 * Regenerates vectors of stored documents after a change of settings: renders and embeds the
 * documents of a segment in rounds and writes their vectors as files of that segment.
 */
import { remadeEmbedders } from '../embedding/embedder-change.ts';
import type { SegmentEntry, SegmentFile } from '../model/index-manifest.ts';
import type { Settings } from '../model/settings.ts';
import { fileName } from '../segments/components.ts';
import { vectorsOf } from '../segments/vectors/vectors-component.ts';
import { documentsTogether, embedAll } from './embedding-step.ts';
import type { IndexingResult } from './indexing-tasks.ts';
import type { PipelineInput, WritePipeline } from './write-pipeline.ts';

interface RemakingMeans {
  readonly pipeline: WritePipeline;
  readonly removeFiles: (prefix: string) => void;
}

/** @param before settings that the segments' files were written under */
export async function remakeVectors(
  before: Settings,
  input: PipelineInput,
  documentCount: number,
  { pipeline, removeFiles }: RemakingMeans,
): Promise<SegmentEntry[]> {
  const names = [...remadeEmbedders(before, input.settings).keys()];
  if (names.length === 0) return [...input.segments];
  const { progress, segments } = input;
  progress.begin('embedding documents', documentCount);
  const remade: SegmentEntry[] = [];
  for (const [i, segment] of segments.entries()) {
    const part = `${input.changeId}-v${i}`;
    const made = await filesOf({ segmentId: segment.id, before, part }, input, pipeline);
    const ofRounds = `${part}-`;
    if (made.every(({ name }) => !name.startsWith(ofRounds))) removeFiles(ofRounds);
    const outdated = vectorsOf(segment.files, names);
    const kept = segment.files.filter((file) => !outdated.includes(file));
    remade.push({ ...segment, files: [...kept, ...made] });
  }
  return remade;
}

interface RemadeSegment {
  readonly segmentId: string;
  /** Settings that its files were written under. */
  readonly before: Settings;
  /** Names the files, or begins the names of the rounds' files, which are temporary. */
  readonly part: string;
}

/** The files of vectors that a segment gets. */
async function filesOf(
  { segmentId, before, part }: RemadeSegment,
  { settings, progress, location, segments }: PipelineInput,
  pipeline: WritePipeline,
): Promise<readonly SegmentFile[]> {
  const documentsMax = documentsTogether(settings, pipeline.options.vectorBytesMax);
  const rounds: (readonly SegmentFile[])[] = [];
  let fromDocId: number | null = 0;
  while (fromDocId !== null) {
    progress.throwIfCanceled();
    const range = { location, segments, segmentId, before, settings, fromDocId };
    const rendered: IndexingResult<'renderStored'> = await pipeline.run('renderStored', {
      ...range,
      documentsMax,
    });
    const generated = await embedAll(rendered.requests, settings, pipeline.options, progress);
    const { nextDocId: toDocId } = rendered;
    const fileId = `${part}-${rounds.length}`;
    rounds.push(await pipeline.run('buildStored', { ...range, toDocId, generated, fileId }));
    fromDocId = toDocId;
  }
  const [first = [], ...more] = rounds;
  if (more.length === 0) return first;
  const joined: SegmentFile[] = [];
  for (const i of first.keys()) {
    const name = fileName('vectors', part, i);
    const files = rounds.flatMap((round) => round[i] ?? []);
    joined.push(await pipeline.run('joinVectors', { location, files, name }));
  }
  return joined;
}
