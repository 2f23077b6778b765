/**
 * The port to HTTP: picks the adapter that this platform can run and serves a route table with it.
 */
import type { ApiContext } from '../api/contract/context.ts';
import type { Route } from '../api/contract/route.ts';
import { type Listen, listenOnLoopback, uwsOrNull } from './acceptor.ts';
import type { ExchangeHandler, HttpServer, ListenOptions } from './exchange.ts';
import { startNodeServer } from './node-server.ts';
import { RequestPipeline } from './request-pipeline.ts';
import type { TlsOptions } from './tls.ts';
import { loadUws, openUwsShare, startUwsServer, type UwsShare } from './uws-server.ts';

export type AdapterName = 'uws' | 'node';

export interface ServeOptions extends ListenOptions {
  /** Absent = uws where it has a binary, else node. */
  readonly adapter?: AdapterName;
  /** Served by the node adapter. */
  readonly tls?: TlsOptions;
}

/** Resolves when the address is bound; rejects when it cannot be. */
export async function serve(
  options: ServeOptions,
  routes: readonly Route[],
  context: ApiContext,
): Promise<HttpServer> {
  const { host, port, tls } = options;
  const adapter = tls === undefined ? options.adapter : 'node';
  const pipeline = new RequestPipeline(routes, context);
  const handle: ExchangeHandler = (exchange) => pipeline.handle(exchange);
  const library =
    adapter === 'node'
      ? null
      : adapter === 'uws'
        ? await loadUws()
        : await uwsOrNull(context.logger);
  const listen: Listen = (at) =>
    library === null ? startNodeServer(at, handle, tls) : startUwsServer(library, at, handle);
  return host === 'localhost'
    ? listenOnLoopback(listen, port, context.logger)
    : listen({ host, port });
}

/** A thread's share of a server whose acceptor is in another thread. */
export async function serveShare(routes: readonly Route[], context: ApiContext): Promise<UwsShare> {
  const pipeline = new RequestPipeline(routes, context);
  return openUwsShare(await loadUws(), (exchange) => pipeline.handle(exchange));
}
