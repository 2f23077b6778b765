/**
 * Start here: what a migration makes of an index elsewhere. One file a system maps its settings and
 * documents, each from a table of what becomes what, and names what it could not take over.
 */

export type Members = Readonly<Record<string, unknown>>;

/** Something that is not as it was, in one sentence for people. */
export interface MigrationNote {
  /** Name of what it is about, as the other system calls it. */
  readonly name: string;
  readonly message: string;
}

export interface MappedIndex {
  readonly uid: string;
  readonly primaryKey: string | null;
  /** As a request to change settings carries them; what is as by default is absent. */
  readonly settings: Members;
  readonly notes: readonly MigrationNote[];
}

/** What a document is changed by; all else of it stays as it was sent. */
export interface DocumentChange {
  /** Members that are new or have another value. */
  readonly set: Members;
  readonly remove: readonly string[];
  readonly notes: readonly MigrationNote[];
}

/** Changes a document that belongs to an index. */
export type MapDocument = (document: Members) => DocumentChange;

/** A member of what another system says of an index. */
export interface MappingRule<Draft> {
  /** What it becomes here; null = nothing. */
  readonly becomes: string | null;
  /** What is lost, or done instead; said at the end of a migration where `becomes` is null. */
  readonly says?: string;
  /** Puts it where it belongs; what only part of the values lose it notes itself. */
  readonly take?: (value: unknown, draft: Draft) => void;
}

export type MappingTable<Draft> = Readonly<Record<string, MappingRule<Draft>>>;

/** A rule for what becomes nothing here. */
export const lost = (says = 'has no counterpart') => ({ becomes: null, says });

export const isJson = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const jsonOf = (value: unknown): Members => (isJson(value) ? value : {});

export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

export const jsonsOf = (value: unknown): Members[] =>
  Array.isArray(value) ? value.filter((item) => isJson(item)) : [];
