/**
 * Finds out why an address cannot be bound: uWebSockets.js does not report it, so the system is
 * asked.
 */
import { createServer } from 'node:net';
import type { ListenOptions } from './exchange.ts';

/** The system's error with its code; an error without a code if the address is free now. */
export function listenError({ host, port }: ListenOptions): Promise<Error> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen({ host, port, exclusive: true }, () =>
      server.close(() => resolve(new Error(`${host}:${port} was not to be had for a moment`))),
    );
  });
}
