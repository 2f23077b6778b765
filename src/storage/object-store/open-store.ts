/** Opens the store of a URL. */
import { AddressPolicy } from '../../http-client/address-policy.ts';
import { OutgoingHttp } from '../../http-client/outgoing-http.ts';
import { credentialSource } from './credentials.ts';
import { DirectoryStore } from './directory-store.ts';
import type { ObjectStore } from './object-store.ts';
import { S3Store } from './s3-store.ts';
import { type Environment, parseStoreUrl } from './store-url.ts';

export interface OpenStoreOptions {
  readonly env: Environment;
  /** Milliseconds since 1970, for signatures and the end of credentials. */
  readonly nowMs: () => number;
  readonly random: () => number;
  /** Time from a call to its failure, retries included. */
  readonly callMs?: number;
}

/** @throws ObjectStoreError if the URL is not valid or the directory cannot be created */
export function openObjectStore(url: string, options: OpenStoreOptions): ObjectStore {
  const { env, nowMs, random, callMs } = options;
  const place = parseStoreUrl(url, env);
  if (place.kind === 'directory') return DirectoryStore.open(place.path, nowMs());
  // Private networks are allowed: the operator chose the endpoint.
  const http = new OutgoingHttp(new AddressPolicy(['any']));
  const { region } = place;
  const credentials = credentialSource({ env, send: http.send, region, nowMs });
  return new S3Store(place, { http, credentials, nowMs, random, ...(callMs && { callMs }) });
}
