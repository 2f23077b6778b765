/**
 * Start here: types of a converted index. One file for each system maps its settings and documents
 * with tables, and notes the members that it cannot convert.
 */
import { isObject, type Json } from '../core/json.ts';

/** A difference from the source, as one sentence for the user. */
export interface MigrationNote {
  /** Name of the affected item in the source system. */
  readonly name: string;
  readonly message: string;
}

export interface MappedIndex {
  readonly uid: string;
  readonly primaryKey: string | null;
  /** In the form of a settings request; members with default values are absent. */
  readonly settings: Json;
  readonly notes: readonly MigrationNote[];
}

/** Changes of a document; all other members stay as they were sent. */
export interface DocumentChange {
  /** New and changed members. */
  readonly set: Json;
  readonly remove: readonly string[];
  readonly notes: readonly MigrationNote[];
}

/** Converts a document of an index. */
export type MapDocument = (document: Json) => DocumentChange;

/** Mapping rule for a member of the source's index description. */
export interface MappingRule<Draft> {
  /** Target setting, for the docs; null = none. */
  readonly becomes: string | null;
  /** Loss or substitution; noted at the end of a migration if `becomes` is null. */
  readonly says?: string;
  /** Stores the value in the draft; notes losses that depend on the value. */
  readonly take?: (value: unknown, draft: Draft) => void;
}

export type MappingTable<Draft> = Readonly<Record<string, MappingRule<Draft>>>;

/** Rule for a member without counterpart. */
export const lost = (says = 'has no counterpart') => ({ becomes: null, says });

/** Rule of members that are mapped by some functions of the draft. */
export const uses = <Draft>(becomes: string, ...all: readonly ((draft: Draft) => void)[]) => ({
  becomes,
  take: (_: unknown, draft: Draft) => {
    for (const use of all) use(draft);
  },
});

/** The same rule for each of some names, with spaces between them. */
export const each = <Rule>(names: string, rule: Rule): Readonly<Record<string, Rule>> =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, rule]));

export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

export const jsonsOf = (value: unknown): Json[] =>
  Array.isArray(value) ? value.filter((item) => isObject(item)) : [];
