/**
 * The one kind of task of the query pool: read something of one generation of one index; and what
 * its threads start with.
 */
import type { WireError } from '../../core/errors.ts';
import type { IndexLocation } from '../../core/index-location.ts';
import type { AnswerPlaces } from '../../model/answer-places.ts';
import type { FederatedPart, FederatedSearch } from '../../model/federation.ts';
import type { FieldListRequest } from '../../model/field-list.ts';
import type { UnparsedFilter } from '../../model/filter/filter-form.ts';
import type {
  DocumentsRequest,
  FacetSearchRequest,
  SearchRequest,
  SimilarRequest,
} from '../../model/search.ts';
import type { Settings } from '../../model/settings.ts';

/** `workerData` of a query thread. */
export interface QueryThreadData {
  /** Memory for kept results. */
  readonly cacheBytes: number;
  /** From so long on a search counts as slow; 0 = none does. */
  readonly slowSearchMs: number;
  /** Memory of `ThreadFigures`. */
  readonly figures: SharedArrayBuffer;
  /** Memory of `StopFlags`. */
  readonly stopFlags: SharedArrayBuffer;
  /** Of one answer. */
  readonly answerBytesMax: number;
}

/** One generation of an index, as a thread opens it. */
interface SnapshotSource {
  /** `<index id>:<generation>`: what the thread's snapshot cache is keyed by. */
  readonly snapshotKey: string;
  /** `encodeManifest` bytes, shared by all tasks of that generation. */
  readonly manifest: SharedArrayBuffer;
  readonly location: IndexLocation;
}

/** An index that a foreign key of the searched one names, where the caller may search it. */
export interface ForeignIndexSource extends SnapshotSource {
  /** Whose values name its documents. */
  readonly fieldName: string;
  readonly indexId: number;
  readonly uid: string;
  /** What the caller sees of it; null = all. */
  readonly binding: UnparsedFilter | null;
}

export interface QueryTask extends SnapshotSource {
  readonly work: QueryWork;
  /** Up to 16; absent = none. No other generation of the searched index. */
  readonly foreign?: readonly ForeignIndexSource[];
  /** Made by the front itself, such as a warm-up: no metric counts it. */
  readonly isSynthetic?: true;
  /** All work for the request stops then, in ms of the process clock; absent = never. */
  readonly endsAtMs?: number;
}

/** As a thread gets it. */
export interface PostedTask extends QueryTask {
  /** In `StopFlags`; raised when the client has left. */
  readonly stopSlot?: number;
}

export interface SearchWork {
  readonly kind: 'search';
  readonly request: SearchRequest;
  readonly requestUid: string;
  /** ms the request has spent before the thread */
  readonly spentMs: number;
  readonly cutoffSinceMs?: CutoffStart;
}

/**
 * When the cutoff of searches begins to count, in ms of the process clock; all searches of one
 * request share it. Absent = when the thread begins.
 */
type CutoffStart = number;

export type QueryWork =
  | SearchWork
  | {
      readonly kind: 'facetSearch';
      readonly request: FacetSearchRequest;
      /** ms the request has spent before the thread */
      readonly spentMs: number;
    }
  | {
      readonly kind: 'similar';
      readonly request: SimilarRequest;
      /** ms the request has spent before the thread */
      readonly spentMs: number;
    }
  | {
      readonly kind: 'document';
      readonly id: string;
      readonly fields: readonly string[] | null;
      readonly retrieveVectors: boolean;
    }
  | {
      readonly kind: 'federated';
      readonly search: FederatedSearch;
      readonly cutoffSinceMs?: CutoffStart;
    }
  | { readonly kind: 'documents'; readonly request: DocumentsRequest }
  | { readonly kind: 'fields'; readonly request: FieldListRequest }
  | { readonly kind: 'stats' }
  /** Opens the generation if the thread has an older one of its index open. The answer is empty. */
  | { readonly kind: 'preopen' }
  | {
      readonly kind: 'settingsPreview';
      /** Complete, in place of those of the generation. */
      readonly settings: Settings;
      /** Embedders that would make their vectors anew. */
      readonly embeds: readonly string[];
      /** To be answered under these settings; null = none. */
      readonly search: Omit<SearchWork, 'kind'> | null;
    };

/**
 * `body` is the finished JSON text of the answer in UTF-8; that of `federated` work is the text of
 * its hits, which `part` cuts. With `places`, the same search of the same generation is answered
 * the same, but for what stands there.
 */
export type QueryReply =
  | {
      readonly ok: true;
      readonly body: Uint8Array;
      readonly part?: FederatedPart;
      readonly places?: AnswerPlaces;
      /** A search of it ended at its time limit. */
      readonly isDegraded?: true;
      /** Milliseconds in the thread. */
      readonly workMs?: number;
      /** Milliseconds of the steps of a slow search. */
      readonly steps?: Readonly<Record<string, number>>;
    }
  | { readonly ok: false; readonly error: WireError; readonly retryWithNewest?: boolean };
