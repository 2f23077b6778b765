/** Reads the files that the TLS options name. */
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Config } from '../config/load.ts';
import { secureContext, type TlsMaterial, type TlsOptions } from '../src/http/tls.ts';
import { StartFailure } from '../src/runtime/start-failure.ts';

function read(path: string, option: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new StartFailure(`option \`--${option}\`: ${(cause as Error).message}`, { cause });
  }
}

const readIfGiven = (path: string | null, option: string): Buffer | null =>
  path === null ? null : read(path, option);

/** null without TLS. Throws `StartFailure` when a file cannot be read or is invalid. */
export function readTlsMaterial(config: Config): TlsMaterial | null {
  const { sslCertPath, sslKeyPath, sslAuthPath, sslOcspPath } = config;
  if (sslCertPath === null || sslKeyPath === null) return null;
  const material = {
    cert: read(sslCertPath, 'ssl-cert-path'),
    key: read(sslKeyPath, 'ssl-key-path'),
    clientAuthorities: readIfGiven(sslAuthPath, 'ssl-auth-path'),
    ocspResponse: readIfGiven(sslOcspPath, 'ssl-ocsp-path'),
  };
  try {
    createSecureContext(secureContext(material, config.sslTickets));
  } catch (cause) {
    const files = [sslCertPath, sslKeyPath, sslAuthPath].filter((path) => path !== null).join(', ');
    throw new StartFailure(`TLS cannot use ${files}: ${(cause as Error).message}`, { cause });
  }
  return material;
}

export function tlsOptions(config: Config): TlsOptions | null {
  const material = readTlsMaterial(config);
  if (material === null) return null;
  const { sslRequireAuth, sslResumption, sslTickets } = config;
  return {
    material,
    requireAuth: sslRequireAuth,
    resumption: sslResumption,
    tickets: sslTickets,
  };
}
