/**
 * Regenerates vectors of stored documents after a change of settings: renders and embeds the
 * documents of a segment in rounds and writes their vectors as files of that segment.
 */
import { remadeEmbedders } from '../embedding/embedder-change.ts';
import type { SegmentEntry, SegmentFile } from '../model/index-manifest.ts';
import type { Settings } from '../model/settings.ts';
import { fileName } from '../segments/components.ts';
import { vectorsOf } from '../segments/vectors/vectors-component.ts';
import type { GeneratedVectors } from './batch/embedding-request.ts';
import type { StoredRange } from './batch/stored-vectors.ts';
import { documentsTogether, type EmbeddingStepOptions, embedAll } from './embedding-step.ts';
import type { IndexState } from './indexing-tasks.ts';
import type { PipelineInput, PipelineOptions, WritePipeline } from './write-pipeline.ts';

export interface VectorRemakingOptions
  extends EmbeddingStepOptions,
    Pick<PipelineOptions, 'vectorBytesMax'> {
  /** Removes the files of the index whose names begin with the prefix. */
  readonly removeFiles: (prefix: string) => void;
}

/** A DocId range of a segment's documents, with the vectors made of them. */
type EmbeddedRound = StoredRange &
  IndexState & {
    readonly segmentId: string;
    readonly toDocId: number | null;
    readonly generated: readonly GeneratedVectors[];
  };

export class VectorRemaking {
  readonly #options: VectorRemakingOptions;
  readonly #pipeline: Pick<WritePipeline, 'run'>;

  constructor(options: VectorRemakingOptions, pipeline: Pick<WritePipeline, 'run'>) {
    this.#options = options;
    this.#pipeline = pipeline;
  }

  /**
   * The segments with new files for the embedders that need them, one segment after the other.
   * @param before settings that the segments' files were written under
   */
  async remake(
    before: Settings,
    input: PipelineInput,
    documentCount: number,
  ): Promise<SegmentEntry[]> {
    const names = remadeEmbedders(before, input.settings);
    if (names.length === 0) return [...input.segments];
    const { progress, segments } = input;
    progress.begin('embedding documents', documentCount);
    const remade: SegmentEntry[] = [];
    for (const [i, segment] of segments.entries()) {
      const part = `v${i}`;
      const made = await this.#filesOf(segment.id, before, input, part);
      const ofRounds = `${input.changeId}-${part}-`;
      if (made.every(({ name }) => !name.startsWith(ofRounds))) this.#options.removeFiles(ofRounds);
      const outdated = vectorsOf(segment.files, names);
      const kept = segment.files.filter((file) => !outdated.includes(file));
      remade.push({ ...segment, files: [...kept, ...made] });
    }
    return remade;
  }

  /**
   * The files of vectors that a segment gets.
   * @param part names the files, or begins the names of the rounds' files, which are temporary
   */
  async #filesOf(
    segmentId: string,
    before: Settings,
    input: PipelineInput,
    part: string,
  ): Promise<readonly SegmentFile[]> {
    const { progress, location, changeId } = input;
    const rounds: (readonly SegmentFile[])[] = [];
    let fromDocId: number | null = 0;
    while (fromDocId !== null) {
      progress.throwIfCanceled();
      const round: EmbeddedRound = await this.#embed(segmentId, before, input, fromDocId);
      const fileId = `${changeId}-${part}-${rounds.length}`;
      const { toDocId, ...embedded } = round;
      rounds.push(await this.#pipeline.run('buildStored', { ...embedded, toDocId, fileId }));
      fromDocId = toDocId;
    }
    const [first = [], ...more] = rounds;
    if (more.length === 0) return first;
    const joined: SegmentFile[] = [];
    for (const i of first.keys()) {
      const name = fileName('vectors', `${changeId}-${part}`, i);
      const files = rounds.flatMap((round) => round[i] ?? []);
      joined.push(await this.#pipeline.run('joinVectors', { location, files, name }));
    }
    return joined;
  }

  async #embed(
    segmentId: string,
    before: Settings,
    { settings, progress, location, segments }: PipelineInput,
    fromDocId: number,
  ): Promise<EmbeddedRound> {
    const range = { location, segments, segmentId, before, settings, fromDocId };
    const documentsMax = documentsTogether(settings, this.#options.vectorBytesMax);
    const { requests, nextDocId } = await this.#pipeline.run('renderStored', {
      ...range,
      documentsMax,
    });
    const generated = await embedAll(requests, settings, this.#options, progress);
    return { ...range, toDocId: nextDocId, generated };
  }
}
