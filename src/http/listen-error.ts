/** Why an address cannot be listened at: uWebSockets.js does not say, the system does if asked. */
import { createServer } from 'node:net';
import type { ListenOptions } from './exchange.ts';

/** The error of the system, with its code; one without where the address is free by now. */
export function listenError({ host, port }: ListenOptions): Promise<Error> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen({ host, port, exclusive: true }, () =>
      server.close(() => resolve(new Error(`${host}:${port} was not to be had for a moment`))),
    );
  });
}
