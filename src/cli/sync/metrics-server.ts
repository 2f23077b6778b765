/** `GET /metrics` of a sync process, for Prometheus and as a check that it runs. */
import { createServer, type Server } from 'node:http';
import { CommandFailure, EXIT } from '../command-failure.ts';

const PORT_MAX = 65_535;

/** @param address `HOST:PORT`. @throws CommandFailure if it cannot listen there */
export async function serveMetrics(address: string, metrics: () => string): Promise<Server> {
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(address) ?? [];
  if (port === '' || Number(port) > PORT_MAX)
    throw new CommandFailure(`--metrics-addr takes HOST:PORT, not \`${address}\``, EXIT.usage);
  const server = createServer((request, response) => {
    const isKnown = request.url === '/metrics';
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'text/plain; version=0.0.4' });
    response.end(isKnown ? metrics() : '');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new CommandFailure(`--metrics-addr: ${error.message}`)));
    server.listen(Number(port), host.replace(/^\[(.*)\]$/, '$1'), resolve);
  });
  return server;
}
