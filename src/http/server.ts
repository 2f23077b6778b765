/** Chooses the HTTP adapter for this platform and serves a route table with it. */
import type { ApiContext } from '../api/contract/context.ts';
import type { Route } from '../api/contract/route.ts';
import type { Logger } from '../observability/logger.ts';
import type { ExchangeHandler, HttpServer, ListenOptions } from './exchange.ts';
import { startNodeServer } from './node-server.ts';
import { RequestPipeline } from './request-pipeline.ts';
import type { TlsOptions } from './tls.ts';
import { loadUws, startUwsServer, type UwsLibrary } from './uws-server.ts';

export type AdapterName = 'uws' | 'node';

interface ServeOptions extends ListenOptions {
  /** Absent = uws if a binary exists, else node. */
  readonly adapter?: AdapterName;
  /** Requires the node adapter. */
  readonly tls?: TlsOptions;
}

/** null without a binary for this platform and Node version. */
async function uwsOrNull(logger: Pick<Logger, 'info'>): Promise<UwsLibrary | null> {
  try {
    return await loadUws();
  } catch (error) {
    logger.info(
      { reason: String(error) },
      'uWebSockets.js cannot be loaded here, serving with node:http',
    );
    return null;
  }
}

type Listen = (options: ListenOptions) => Promise<HttpServer>;

/**
 * Binds both loopback addresses for `localhost`, if the machine has both, because clients differ in
 * which one they try.
 */
async function listenOnLoopback(
  listen: Listen,
  port: number,
  logger: Pick<Logger, 'debug'>,
): Promise<HttpServer> {
  const first = await listen({ host: '127.0.0.1', port });
  try {
    const second = await listen({ host: '::1', port: first.port });
    const close = async (graceMs: number) =>
      void (await Promise.all([first.close(graceMs), second.close(graceMs)]));
    const renewTls: HttpServer['renewTls'] = (material) => {
      for (const server of [first, second]) server.renewTls(material);
    };
    return { port: first.port, close, renewTls };
  } catch (error) {
    logger.debug({ reason: String(error) }, 'localhost is 127.0.0.1 only');
    return first;
  }
}

/** Resolves when the address is bound; rejects if that fails. */
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
