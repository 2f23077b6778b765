/**
 * The single kind of query pool task: read one generation of one index. Also the start data of its
 * threads.
 */
import type { CacheMemory } from '../../core/cache-memory.ts';
import type { WireError } from '../../core/errors.ts';
import type { AnswerPlaces } from '../../model/answer-places.ts';
import type { FederatedPart, FederatedSearch } from '../../model/federation.ts';
import type { FieldListRequest } from '../../model/field-list.ts';
import type { UnparsedFilter } from '../../model/filter/filter-form.ts';
import type { FingerprintRequest } from '../../model/fingerprint.ts';
import type {
  DocumentsRequest,
  FacetSearchRequest,
  SearchRequest,
  SimilarRequest,
} from '../../model/search.ts';
import type { Settings } from '../../model/settings.ts';

/** `workerData` of a query thread. */
export interface QueryThreadData {
  readonly cache: CacheMemory;
  /** Searches that take at least this many ms count as slow; 0 = off. */
  readonly slowSearchMs: number;
  /** Shared memory of `ThreadMetrics`. */
  readonly metrics: SharedArrayBuffer;
  /** Shared memory of `StopFlags`. */
  readonly stopFlags: SharedArrayBuffer;
  /** Of one response. */
  readonly answerBytesMax: number;
}

/** One generation of an index, as a thread opens it. */
interface SnapshotSource {
  /** `<index id>:<generation>`: key of the thread's snapshot cache. */
  readonly snapshotKey: string;
  /** `encodeManifest` bytes, shared by all tasks of that generation. */
  readonly manifest: SharedArrayBuffer;
  /**
   * The folder of the index: an absolute path. The sender must have the files there, because the
   * thread opens and reads them synchronously.
   */
  readonly location: string;
}

/** A joined index (foreign key of the searched index) that the caller may search. */
export interface ForeignIndexSource extends SnapshotSource {
  /** Field whose values name documents of the joined index. */
  readonly fieldName: string;
  readonly indexId: number;
  readonly uid: string;
  /** Filter on the documents that the caller may see; null = all documents. */
  readonly binding: UnparsedFilter | null;
}

/** A further index of `federated` work. */
export interface FurtherIndexSource extends SnapshotSource {
  readonly search: FederatedSearch;
  readonly foreign: readonly ForeignIndexSource[];
}

export interface QueryTask extends SnapshotSource {
  readonly work: QueryWork;
  /** Indexes whose documents are in one list of groups with those of the task; absent = none. */
  readonly further?: readonly FurtherIndexSource[];
  /** Up to 16; absent or empty = none. Never another generation of the searched index. */
  readonly foreign?: readonly ForeignIndexSource[];
  /** A request of the front itself, such as a warm-up; not counted in metrics. */
  readonly isSynthetic?: true;
  /** Deadline of all work for the request, in ms of the process clock; absent = none. */
  readonly endsAtMs?: number;
}

export interface PostedTask {
  readonly task: QueryTask;
  /** Slot in `StopFlags`. The reply to a task that was withdrawn there is null. */
  readonly stopSlot: number;
}

/** What a thread posts when a task ends. Its first message is null: it has loaded. */
export type PostedOutcome =
  | { readonly stopSlot: number; readonly reply: QueryReply | null }
  | { readonly stopSlot: number; readonly error: unknown };

export interface SearchWork {
  readonly kind: 'search';
  readonly request: SearchRequest;
  readonly requestUid: string;
  /** ms between the request's arrival and the thread */
  readonly spentMs: number;
  readonly cutoffSinceMs?: CutoffStart;
}

/**
 * Start of the search cutoff, in ms of the process clock, shared by all searches of one request.
 * Absent = the start in the thread.
 */
type CutoffStart = number;

export type QueryWork =
  | SearchWork
  | {
      readonly kind: 'facetSearch';
      readonly request: FacetSearchRequest;
      /** ms between the request's arrival and the thread */
      readonly spentMs: number;
    }
  | {
      readonly kind: 'similar';
      readonly request: SimilarRequest;
      /** ms between the request's arrival and the thread */
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
  | { readonly kind: 'fingerprint'; readonly request: FingerprintRequest }
  | { readonly kind: 'stats' }
  /**
   * Opens the generation if the thread has an older one of its index open. The response is empty.
   */
  | { readonly kind: 'preopen' }
  /** Closes all generations of the index. The response is empty. */
  | { readonly kind: 'close' }
  | {
      readonly kind: 'settingsPreview';
      /** Complete settings that replace those of the generation. */
      readonly settings: Settings;
      /** Embedders whose vectors would have to be regenerated. */
      readonly embeds: readonly string[];
      /** Settings to evaluate the search under; null = the generation's own. */
      readonly search: Omit<SearchWork, 'kind'> | null;
    };

/**
 * `body` is the finished JSON text of the response in UTF-8. For `federated` work it is the text of
 * the hits, which `parts` cut, by index, that of the task first. `places` marks the parts that differ between responses to the same
 * search of the same generation.
 */
export type QueryReply =
  | {
      readonly ok: true;
      readonly body: Uint8Array;
      readonly parts?: readonly FederatedPart[];
      readonly places?: AnswerPlaces;
      /** A search of the request reached its time limit. */
      readonly isDegraded?: true;
      readonly workMs?: number;
      /** Milliseconds of each step of a slow search. */
      readonly steps?: Readonly<Record<string, number>>;
    }
  | { readonly ok: false; readonly error: WireError; readonly retryWithNewest?: boolean };
