/**
 * Documents of an index from all instances of the network (`useNetwork`), one instance after
 * another, this one first. Each instance returns its number of documents, then those on the page
 * their documents.
 */
import { mapInParallel } from '../../core/bounded-parallel.ts';
import type { Requester } from '../../core/caller.ts';
import { ApiError, type ErrorEnvelope } from '../../core/errors.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import { PARALLEL_INSTANCES_MAX } from '../../model/network.ts';
import type { DocumentsFetchBody } from '../../model/schemas/document-schema.ts';
import type { DocumentsRequest } from '../../model/search.ts';
import { type DocumentsPage, readDocumentsPage } from '../../network/documents-page.ts';
import type { ApiContext } from '../contract/context.ts';
import { readIndex } from './index-reader.ts';
import { instancesToAsk, orNullIfRemoteFails } from './network-queries.ts';

interface Window {
  readonly offset: number;
  readonly limit: number;
}

interface NetworkDocuments {
  readonly index: PublishedIndex;
  /** The original body, which is sent to remote instances. */
  readonly body: DocumentsFetchBody;
  readonly request: DocumentsRequest;
  readonly caller: Requester;
}

export async function readNetworkDocuments(
  context: ApiContext,
  { index, body, request, caller }: NetworkDocuments,
): Promise<Uint8Array> {
  const { offset, limit, sort } = request;
  if (sort.length > 0)
    throw new ApiError(
      'invalid_document_use_network',
      '`useNetwork` is true together with `sort`, expected one of them: documents of several instances are listed one instance after another.',
    );
  const { useNetwork: _, ...same } = body;
  const { signal } = caller;
  const errors: Record<string, ErrorEnvelope> = {};
  const ask = async (name: string | null, window: Window): Promise<DocumentsPage> => {
    if (name === null) {
      const work = { kind: 'documents', request: { ...request, ...window } } as const;
      return readDocumentsPage(await readIndex(context, { index, work }, caller), 'this instance');
    }
    const { network, remoteSearches } = context;
    const question = { network, name, body: { ...same, ...window }, signal };
    const ask = () => remoteSearches.documents(index.manifest.uid, question);
    const page = await orNullIfRemoteFails(name, ask, errors, signal);
    return page ?? { results: new Uint8Array(), total: 0 };
  };
  const instances = await mapInParallel(
    instancesToAsk(context),
    PARALLEL_INSTANCES_MAX,
    async (name) => ({ name, ...(await ask(name, { offset: 0, limit: 0 })) }),
  );
  const parts = await mapInParallel(
    partsOf(instances, { offset, limit }),
    PARALLEL_INSTANCES_MAX,
    async ({ name, window }) => (await ask(name, window)).results,
  );
  const total = instances.reduce((sum, instance) => sum + instance.total, 0);
  return written(parts, { offset, limit, total, remoteErrors: errors });
}

interface Part {
  readonly name: string | null;
  readonly window: Window;
}

function partsOf(
  instances: readonly { readonly name: string | null; readonly total: number }[],
  { offset, limit }: Window,
): Part[] {
  let before = 0;
  return instances.flatMap(({ name, total }) => {
    const start = Math.max(0, offset - before);
    const end = Math.min(total, offset + limit - before);
    before += total;
    return start < end ? [{ name, window: { offset: start, limit: end - start } }] : [];
  });
}

function written(parts: readonly Uint8Array[], facts: object): Uint8Array {
  const lists = parts.filter(({ length }) => length > 0);
  const joined = lists.flatMap((list, i) => (i === 0 ? [list] : [Buffer.from(','), list]));
  return Buffer.concat([
    Buffer.from('{"results":['),
    ...joined,
    Buffer.from(`],${JSON.stringify(facts).slice(1)}`),
  ]);
}
