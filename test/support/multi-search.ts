/**
 * Multi-searches over small indexes in memory: the real route, real searches, no threads and no
 * network.
 */

import type { RouteHeaders } from '../../src/api/contract/route.ts';
import { multiSearchRoutes } from '../../src/api/routes/multi-search-routes.ts';
import { FULL_ACCESS } from '../../src/auth/access.ts';
import { Deadline } from '../../src/core/deadline.ts';
import { ApiError, toEnvelope, toWire } from '../../src/core/errors.ts';
import { validate } from '../../src/http/validator.ts';
import type { OutgoingAnswer, OutgoingRequest } from '../../src/http-client/outgoing-http.ts';
import type { QueryReply, QueryTask } from '../../src/ipc/queries/query-protocol.ts';
import { decodeManifest } from '../../src/model/index-manifest.ts';
import { MultiSearchBody } from '../../src/model/schemas/multi-search-schema.ts';
import type { SearchRule } from '../../src/model/search-rule.ts';
import type { Settings } from '../../src/model/settings.ts';
import { RemoteSearches } from '../../src/network/remote-searches.ts';
import { writeSearchAnswer } from '../../src/search/answer/write-answer.ts';
import { executeFederatedSearch } from '../../src/search/execute-federated-search.ts';
import { executeSearch } from '../../src/search/execute-search.ts';
import type { IndexSnapshot } from '../../src/search/snapshot/index-snapshot.ts';
import { buildSnapshot, type SourceDocument } from './build-snapshot.ts';
import { createFakeApiContext } from './fake-api-context.ts';
import { NO_HEADERS, noAsk } from './route-request.ts';

export interface SmallIndex {
  readonly documents: readonly SourceDocument[];
  readonly settings?: Partial<Settings>;
  readonly segmentCount?: number;
}

export interface FederatedHit extends SourceDocument {
  readonly id?: unknown;
  readonly _federation: {
    readonly indexUid: string;
    readonly queriesPosition: number;
    readonly weightedRankingScore: number;
  };
}

export interface FederatedAnswer {
  readonly hits: readonly FederatedHit[];
  readonly [member: string]: unknown;
}

export interface PlainAnswer {
  readonly results: readonly {
    readonly indexUid: string;
    readonly hits: readonly SourceDocument[];
    readonly [member: string]: unknown;
  }[];
}

export interface MultiSearch {
  /** The text of the answer. @param includeMetadata the header. Rejects with `ApiError`. */
  send(body: unknown, includeMetadata?: string): Promise<string>;
  apart(queries: readonly unknown[]): Promise<PlainAnswer>;
  merged(queries: readonly unknown[], federation?: object): Promise<FederatedAnswer>;
}

type Indexes = Readonly<Record<string, SmallIndex>>;

/** What the instances of a network do, in addition to the one that is asked. */
export interface Remotes {
  /** By the name of the instance. */
  readonly indexes: Readonly<Record<string, Indexes>>;
  /** Replaces the answer to a request; null = the instance answers itself. */
  readonly answer?: (name: string, body: unknown) => OutgoingAnswer | null;
}

/** @param rules act on all searches, of all instances */
export function multiSearchOver(
  indexes: Indexes,
  rules: readonly SearchRule[] = [],
  remotes: Remotes = { indexes: {} },
): MultiSearch {
  const { context, post } = instanceOf(indexes, rules);
  const posts = new Map(
    Object.entries(remotes.indexes).map(([name, own]) => [name, instanceOf(own, rules).post]),
  );
  const named = [...posts.keys()].map((name) => {
    const url = `http://${name}.test`;
    return [name, { url, searchApiKey: null, writeApiKey: null }] as const;
  });
  context.network = { ...context.network, self: 'here', remotes: Object.fromEntries(named) };
  const send = async ({ url, body }: OutgoingRequest): Promise<OutgoingAnswer> => {
    const [name = ''] = new URL(url).hostname.split('.');
    const sent: unknown = JSON.parse(Buffer.from(body ?? '').toString());
    const answer = remotes.answer?.(name, sent);
    if (answer) return answer;
    try {
      const text = await posts.get(name)?.(sent, { proxySearch: 'true' });
      return { status: 200, headers: {}, body: Buffer.from(text ?? '') };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const wire = JSON.stringify(toEnvelope(toWire(error)));
      return { status: 400, headers: {}, body: Buffer.from(wire) };
    }
  };
  Object.assign(context, { remoteSearches: new RemoteSearches(send, 1000) });
  return {
    send: (body, includeMetadata = '') => post(body, { includeMetadata }),
    apart: async (queries) => JSON.parse(await post({ queries })),
    merged: async (queries, federation = {}) => JSON.parse(await post({ queries, federation })),
  };
}

function instanceOf(indexes: Indexes, rules: readonly SearchRule[]) {
  const context = createFakeApiContext();
  context.features = { ...context.features, dynamicSearchRules: true, network: true };
  for (const rule of rules) context.searchRules.publish(rule);
  const snapshots = new Map<string, IndexSnapshot>();
  for (const [uid, index] of Object.entries(indexes)) {
    const { manifest } = context.publish(uid, index.settings);
    snapshots.set(uid, { ...buildSnapshot(index), manifest });
  }
  const snapshotOf = ({ manifest }: Pick<QueryTask, 'manifest'>): IndexSnapshot => {
    const snapshot = snapshots.get(decodeManifest(new Uint8Array(manifest)).uid);
    if (snapshot === undefined) throw new Error('a task for an index that does not exist');
    return snapshot;
  };
  context.replies = [(task) => answer(snapshotOf, task)];
  const [route] = multiSearchRoutes;
  const post = async (body: unknown, own: Partial<RouteHeaders> = {}): Promise<string> => {
    validate(MultiSearchBody, body);
    const caller = { isAborted: false, requestUid: 'r', keyUid: null };
    const receivedAtMs = context.clock.monotonic();
    const headers = { ...NO_HEADERS, ...own };
    const access = FULL_ACCESS;
    const request = {
      params: {},
      query: {},
      headers,
      body,
      access,
      rawQuery: '',
      ask: noAsk,
      receivedAtMs,
      caller,
    };
    const answer = await route?.handler(context, request);
    return answer && 'bytes' in answer ? Buffer.concat([answer.bytes].flat()).toString() : '';
  };
  return { context, post };
}

/** What a query thread does. */
function answer(
  snapshotOf: (task: Pick<QueryTask, 'manifest'>) => IndexSnapshot,
  task: QueryTask,
): QueryReply {
  const { work } = task;
  const snapshot = snapshotOf(task);
  const means = { deadline: Deadline.never(), foreign: new Map(), textOf: null };
  try {
    if (work.kind === 'federated') {
      const further = (task.further ?? []).map((index) => {
        return { ...means, snapshot: snapshotOf(index), search: index.search };
      });
      const first = { ...means, snapshot, search: work.search };
      const { parts, bytes } = executeFederatedSearch([first, ...further]);
      return { ok: true, body: bytes, parts: structuredClone(parts) };
    }
    if (work.kind !== 'search') throw new Error(`no ${work.kind} here`);
    const outcome = executeSearch(snapshot, work.request, Deadline.never());
    const facts = () => ({ requestUid: work.requestUid, processingTimeMs: 0 });
    const { bytes, places } = writeSearchAnswer(snapshot, work.request, outcome, facts);
    return { ok: true, body: bytes, places };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ok: false, error: toWire(error) };
  }
}
