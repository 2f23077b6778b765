/**
 * Pure: decides which following tasks of an index join a batch, and why the batch stopped growing
 * (api.md 14.3 and 14.4).
 */

/** The role of a task in batching. `exclusive` tasks never join other tasks. */
export type BatchableKind =
  | 'addition'
  | 'deletionByIds'
  | 'deletionByFilter'
  | 'clear'
  | 'settings'
  | 'indexDeletion'
  | 'searchRules'
  | 'exclusive';

export interface BatchCandidate {
  readonly kind: BatchableKind;
  /** Primary key in an addition; null = inferred. Undefined for other kinds. */
  readonly primaryKey?: string | null;
  /** Undefined for kinds that never create an index. */
  readonly allowIndexCreation?: boolean;
  readonly bytes: number;
}

export interface BatchLimits {
  readonly tasks: number;
  readonly bytes: number;
}

/** null = the index does not exist. */
export type IndexFacts = { readonly primaryKey: string | null } | null;

export type BatchKind =
  | 'documents'
  | 'deletions'
  | 'deletionsByFilter'
  | 'clear'
  | 'settings'
  | 'clearAndSettings'
  | 'indexDeletion'
  | 'searchRules'
  | 'exclusive';

const FIRST: Record<BatchableKind, BatchKind> = {
  addition: 'documents',
  deletionByIds: 'deletions',
  deletionByFilter: 'deletionsByFilter',
  clear: 'clear',
  settings: 'settings',
  indexDeletion: 'indexDeletion',
  searchRules: 'searchRules',
  exclusive: 'exclusive',
};

type Row = Partial<Record<BatchableKind, BatchKind>>;

/** The merge table; a missing entry ends the batch. */
const MERGE: Record<BatchKind, Row> = {
  documents: {
    addition: 'documents',
    deletionByIds: 'documents',
    clear: 'clear',
    indexDeletion: 'indexDeletion',
  },
  deletions: {
    addition: 'documents',
    deletionByIds: 'deletions',
    deletionByFilter: 'deletionsByFilter',
    clear: 'clear',
    indexDeletion: 'indexDeletion',
  },
  deletionsByFilter: {
    addition: 'documents',
    deletionByIds: 'deletionsByFilter',
    deletionByFilter: 'deletionsByFilter',
    clear: 'clear',
    indexDeletion: 'indexDeletion',
  },
  clear: {
    deletionByIds: 'clear',
    deletionByFilter: 'clear',
    clear: 'clear',
    indexDeletion: 'indexDeletion',
  },
  settings: { clear: 'clearAndSettings', settings: 'settings', indexDeletion: 'indexDeletion' },
  clearAndSettings: {
    deletionByIds: 'clearAndSettings',
    deletionByFilter: 'clearAndSettings',
    clear: 'clearAndSettings',
    settings: 'clearAndSettings',
    indexDeletion: 'indexDeletion',
  },
  indexDeletion: {},
  searchRules: { searchRules: 'searchRules' },
  exclusive: {},
};

export class GrowingBatch {
  readonly #index: IndexFacts;
  readonly #limits: BatchLimits;
  #kind: BatchKind;
  #count = 1;
  #bytes: number;
  /** Primary key of the batch's additions; undefined before the first addition. */
  #primaryKey: string | null | undefined;
  #allowIndexCreation: boolean | undefined;

  constructor(first: BatchCandidate, index: IndexFacts, limits: BatchLimits) {
    this.#index = index;
    this.#limits = limits;
    this.#kind = FIRST[first.kind];
    this.#bytes = first.bytes;
    this.#primaryKey = first.primaryKey;
    this.#allowIndexCreation = first.allowIndexCreation;
  }

  get kind(): BatchKind {
    return this.#kind;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The reason why no further task of any kind can join; null while some may. */
  get complete(): string | null {
    if (this.#kind === 'exclusive') return 'the task is never merged with another';
    if (this.#kind === 'indexDeletion') return 'the index is deleted by the batch';
    if (this.#count >= this.#limits.tasks)
      return `reached the limit of ${this.#limits.tasks} tasks`;
    return null;
  }

  /**
   * Adds the next task of the index, or returns why it cannot join. After a refusal the batch is
   * complete.
   */
  offer(
    next: BatchCandidate,
  ): { readonly taken: true } | { readonly taken: false; readonly reason: string } {
    const kind = MERGE[this.#kind][next.kind];
    const reason = this.complete ?? this.#refusal(next, kind);
    if (reason !== null) return { taken: false, reason };
    this.#kind = kind ?? this.#kind;
    this.#count++;
    this.#bytes += next.bytes;
    if (this.#primaryKey === undefined) this.#primaryKey = next.primaryKey;
    this.#allowIndexCreation ??= next.allowIndexCreation;
    return { taken: true };
  }

  #refusal(next: BatchCandidate, kind: BatchKind | undefined): string | null {
    if (kind === undefined) return `a batch of ${this.#kind} takes no ${next.kind}`;
    if (this.#bytes + next.bytes > this.#limits.bytes)
      return `reached the limit of ${this.#limits.bytes} bytes of payload`;
    if (this.#index === null) {
      const mayDiffer =
        this.#allowIndexCreation !== undefined && next.allowIndexCreation !== undefined;
      if (mayDiffer && this.#allowIndexCreation !== next.allowIndexCreation)
        return 'the right to create the index differs';
      const createsLate =
        next.kind === 'addition' &&
        this.#primaryKey === undefined &&
        next.allowIndexCreation === true;
      if (createsLate) return 'the index does not exist and the next task may create it';
    }
    return next.kind === 'addition' ? this.#primaryKeyRefusal(next.primaryKey ?? null) : null;
  }

  #primaryKeyRefusal(named: string | null): string | null {
    const stored = this.#index?.primaryKey ?? null;
    if (stored !== null)
      return named === null || named === stored
        ? null
        : 'the primary key differs from that of the index';
    if (this.#primaryKey === undefined || this.#primaryKey === named) return null;
    return 'the primary key differs from that of the batch';
  }
}
