/**
 * What a front that serves with threads needs in its main thread: who accepts connections and hands
 * them on. Loads nothing of the pipeline.
 */
import type { Logger } from '../observability/logger.ts';
import type { HttpServer, ListenOptions } from './exchange.ts';
import { loadUws, UwsAcceptor, type UwsLibrary } from './uws-server.ts';

/** null when there is no binary for this platform and Node version. */
export async function uwsOrNull(logger: Pick<Logger, 'info'>): Promise<UwsLibrary | null> {
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

export type Listen = (options: ListenOptions) => Promise<HttpServer>;

/**
 * `localhost` is both loopback addresses where the machine has both; clients differ in which one
 * they try.
 */
export async function listenOnLoopback(
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

/** Null where connections cannot be shared between threads. Legal in the main thread. */
export async function createAcceptor(logger: Pick<Logger, 'info'>): Promise<UwsAcceptor | null> {
  const library = await uwsOrNull(logger);
  return library === null ? null : new UwsAcceptor(library);
}

/** Resolves with the port when the address is bound; rejects when it cannot be. */
export async function listenAt(
  acceptor: UwsAcceptor,
  { host, port }: ListenOptions,
  logger: Pick<Logger, 'debug'>,
): Promise<number> {
  if (host !== 'localhost') return acceptor.listen({ host, port });
  const server = await listenOnLoopback(
    async (at) => ({
      port: await acceptor.listen(at),
      close: async () => acceptor.close(),
      renewTls: () => undefined,
    }),
    port,
    logger,
  );
  return server.port;
}
