/** TLS of the node adapter: certificates, client authentication, session resumption. */
import { constants } from 'node:crypto';
import type { Server, ServerOptions } from 'node:https';
import type { TLSSocket } from 'node:tls';

export interface TlsMaterial {
  /** PEM, with its chain. */
  readonly cert: Buffer;
  /** PEM. */
  readonly key: Buffer;
  /** PEM of the authorities that sign client certificates; null = no client certificates. */
  readonly clientAuthorities: Buffer | null;
  /** DER of the OCSP response for the certificate; null = none. */
  readonly ocspResponse: Buffer | null;
}

export interface TlsOptions {
  readonly material: TlsMaterial;
  /** Refuses clients without a certificate; invalid certificates are always refused. */
  readonly requireAuth: boolean;
  /** The server caches sessions, so that returning clients need no full handshake. */
  readonly resumption: boolean;
  /** Clients receive sessions as tickets, so that the server need not cache them. */
  readonly tickets: boolean;
}

/** The least recently used session is evicted first. */
const SESSIONS_MAX = 10_000;

export function secureContext({ cert, key, clientAuthorities }: TlsMaterial, tickets: boolean) {
  return {
    cert,
    key,
    ...(clientAuthorities !== null && { ca: clientAuthorities }),
    secureOptions: tickets ? 0 : constants.SSL_OP_NO_TICKET,
  };
}

export const secureServerOptions = ({
  material,
  requireAuth,
  tickets,
}: TlsOptions): ServerOptions => ({
  ...secureContext(material, tickets),
  requestCert: material.clientAuthorities !== null,
  rejectUnauthorized: material.clientAuthorities !== null && requireAuth,
  ALPNProtocols: ['http/1.1'],
});

/** @param ocspResponse the current response */
export function prepareTls(
  server: Server,
  { requireAuth, resumption }: TlsOptions,
  ocspResponse: () => Buffer | null,
): void {
  server.on('OCSPRequest', (_certificate, _issuer, answer) => answer(null, ocspResponse()));
  if (!requireAuth) server.on('secureConnection', refuseBadCertificate);
  if (resumption) rememberSessions(server);
}

/** An optional certificate must be valid if it is sent. */
function refuseBadCertificate(socket: TLSSocket): void {
  const isShown = Object.keys(socket.getPeerCertificate() ?? {}).length > 0;
  if (isShown && !socket.authorized) socket.destroy();
}

function rememberSessions(server: Server): void {
  const sessions = new Map<string, Buffer>();
  server.on('newSession', (id: Buffer, session: Buffer, done: () => void) => {
    sessions.set(id.toString('hex'), session);
    const oldest = sessions.keys().next().value;
    if (sessions.size > SESSIONS_MAX && oldest !== undefined) sessions.delete(oldest);
    done();
  });
  server.on('resumeSession', (id: Buffer, done: (error: null, session: Buffer | null) => void) =>
    done(null, sessions.get(id.toString('hex')) ?? null),
  );
}
