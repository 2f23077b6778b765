/** What every view gets. */
import type { ApiClient } from './api-client.ts';
import type { AddressPort } from './parts/use-address.ts';
import type { Requested } from './parts/use-request.ts';

export interface IndexList {
  readonly results: readonly { readonly uid: string; readonly primaryKey: string | null }[];
  readonly total: number;
}

export interface ViewProps {
  readonly api: ApiClient;
  readonly port: AddressPort;
  readonly indexes: Requested<IndexList>;
  /** Chosen, or the first there is. */
  readonly index: string | null;
}
