/** Where the indexer listens: the path of a unix socket, or `host:port`. */
type SocketAddress = { readonly path: string } | { readonly host: string; readonly port: number };

export function toSocketAddress(address: string): SocketAddress {
  const match = /^(?:\[([^\]]+)\]|([^/\\:]*)):(\d{1,5})$/.exec(address);
  return match === null
    ? { path: address }
    : { host: match[1] || match[2] || '127.0.0.1', port: Number(match[3]) };
}
