/** Props of every view. */
import type { AddressPort } from './parts/use-address.ts';
import type { Requested } from './parts/use-request.ts';

export interface IndexList {
  readonly results: readonly { readonly uid: string; readonly primaryKey: string | null }[];
  readonly total: number;
}

export interface ViewProps {
  readonly port: AddressPort;
  readonly indexes: Requested<IndexList>;
  /** Of the list of indexes. */
  readonly uids: readonly string[];
  /** uid of the chosen index, or the first index. */
  readonly index: string | null;
  /** Of the chosen index; null = unknown, or none yet. */
  readonly primaryKey: string | null;
  /** True if the API key may search but not list indexes. */
  readonly isSearchOnly: boolean;
}

/** Props of a view of one index. */
export type IndexViewProps = ViewProps & { readonly index: string };
