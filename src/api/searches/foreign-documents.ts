/**
 * Documents of other indexes for a request that several instances answer: this instance reads them
 * from the instances of the request, by its own settings and for its own caller.
 */
import type { Access } from '../../auth/access.ts';
import type { Requester } from '../../core/caller.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import { type FilterForm, unparsedFilter } from '../../model/filter/filter-form.ts';
import { readDocumentsPage } from '../../network/documents-page.ts';
import { documentsById } from '../../network/joined-hits.ts';
import type { ApiContext } from '../contract/context.ts';
import { type ReachedKey, reachedKeys } from './foreign-index-sources.ts';
import { readIndex } from './index-reader.ts';

interface ForeignRequest {
  /** Decides which indexes are included; null = none. */
  readonly access: Access | null;
  readonly caller: Requester;
  /** Of the queries; null = this one. */
  readonly instances: Iterable<string | null>;
}

/** A foreign key with the primary key of its index; null = unknown, without documents here. */
interface NetworkKey extends ReachedKey {
  readonly primaryKey: string | null;
}

export interface KnownKey extends NetworkKey {
  readonly primaryKey: string;
}

interface Selection {
  readonly filter: FilterForm | null;
  readonly ids: readonly string[] | null;
  /** null = all. */
  readonly fields: readonly string[] | null;
  readonly limit: number;
}

export class ForeignDocuments {
  readonly context: ApiContext;
  readonly caller: Requester;
  /** This one first. */
  readonly instances: readonly (string | null)[];
  readonly #access: Access;

  private constructor(
    context: ApiContext,
    access: Access,
    request: Omit<ForeignRequest, 'access'>,
  ) {
    const instances = [...new Set(request.instances)];
    this.context = context;
    this.caller = request.caller;
    this.instances = instances.sort((a, b) => Number(a !== null) - Number(b !== null));
    this.#access = access;
  }

  /** null when the request includes no other indexes. */
  static of(context: ApiContext, { access, ...request }: ForeignRequest): ForeignDocuments | null {
    if (access === null || !context.features.foreignKeys) return null;
    return new ForeignDocuments(context, access, request);
  }

  /** The keys of an index whose indexes the caller may search. */
  keysOf(index: PublishedIndex): readonly NetworkKey[] {
    const { foreignKeys } = index.manifest.settings;
    return reachedKeys(this.context, index, foreignKeys, this.#access).map(withPrimaryKey);
  }

  /** By id. @param name of the instance; null = this one. Throws `ApiError` */
  async read(
    name: string | null,
    { index, foreignIndexUid, primaryKey }: KnownKey,
    { filter, ids, fields, limit }: Selection,
  ): Promise<ReadonlyMap<string, Uint8Array>> {
    const { network, remoteSearches, features } = this.context;
    if (name !== null) {
      const body = { filter, fields, limit, ...(ids !== null && { ids }) };
      const { signal } = this.caller;
      const question = { network, name, body, signal };
      const page = await remoteSearches.documents(foreignIndexUid, question);
      return documentsById(page, primaryKey, name);
    }
    const request = {
      offset: 0,
      limit,
      fields,
      ids,
      filter: unparsedFilter(filter, features),
      sort: [],
      retrieveVectors: false,
    };
    const work = { kind: 'documents', request } as const;
    const page = readDocumentsPage(
      await readIndex(this.context, { index, work }, this.caller),
      'this instance',
    );
    return documentsById(page, primaryKey, 'this instance');
  }
}

export const isKnown = (key: NetworkKey): key is KnownKey => key.primaryKey !== null;

const withPrimaryKey = (key: ReachedKey): NetworkKey => ({
  ...key,
  primaryKey: key.index.manifest.primaryKey ?? key.foreignPrimaryKey ?? null,
});
