/** Launch options of the HTTP server: address, keys, TLS, request bodies. */
import { option } from './option.ts';

export const httpOptions = {
  httpAddr: option<string>({
    doc: 'Address and port to listen on.',
    format: 'address',
    default: 'localhost:7700',
    arg: 'http-addr',
  }),
  masterKey: option<string | null>({
    doc: 'Master key: allows every route. Required in production, with at least 16 bytes.',
    format: 'text',
    default: null,
    sensitive: true,
    arg: 'master-key',
  }),
  masterKeyFile: option<string | null>({
    doc: 'File that contains only the master key; replaces `--master-key`.',
    format: 'text',
    default: null,
    arg: 'master-key-file',
  }),
  formerMasterKey: option<string | null>({
    doc: 'Previous master key. It and the API key values derived from it stay valid together with the new ones, while clients switch over.',
    format: 'text',
    default: null,
    sensitive: true,
    arg: 'master-key-previous',
  }),
  wrongKeysPerMinute: option<number>({
    doc: 'Requests with an invalid API key that one address may send in a minute. Further ones get status 429, each after one to two seconds; 0 = unlimited. Valid keys are always accepted.',
    format: 'count',
    default: 100,
    arg: 'wrong-keys-per-minute',
  }),
  allowLooseTenantRules: option<boolean>({
    doc: 'Accepts tenant tokens whose rules have unknown members, empty filters or invalid index patterns, and ignores these. By default such a token is invalid.',
    format: 'flag',
    default: false,
    arg: 'allow-loose-tenant-rules',
  }),
  maskStrongerKeys: option<boolean>({
    doc: 'Masks the values of API keys in responses of the key routes to keys that lack any of their actions. By default every key with `keys.get` reads all values.',
    format: 'flag',
    default: false,
    arg: 'mask-stronger-keys',
  }),
  sslCertPath: option<string | null>({
    doc: 'PEM file with the certificate chain; enables TLS, together with `--ssl-key-path`. SIGHUP reloads the files.',
    format: 'text',
    default: null,
    arg: 'ssl-cert-path',
  }),
  sslKeyPath: option<string | null>({
    doc: 'PEM file with the private key of the certificate.',
    format: 'text',
    default: null,
    arg: 'ssl-key-path',
  }),
  sslAuthPath: option<string | null>({
    doc: 'PEM file with the certificate authorities of client certificates; enables requests for client certificates.',
    format: 'text',
    default: null,
    arg: 'ssl-auth-path',
  }),
  sslOcspPath: option<string | null>({
    doc: 'DER file with the OCSP response for the certificate, sent to clients that request it.',
    format: 'text',
    default: null,
    arg: 'ssl-ocsp-path',
  }),
  sslRequireAuth: option<boolean>({
    doc: 'Refuses clients without a valid certificate; needs `--ssl-auth-path`.',
    format: 'flag',
    default: false,
    arg: 'ssl-require-auth',
  }),
  sslResumption: option<boolean>({
    doc: 'Caches TLS sessions on the server, so that returning clients need no full handshake.',
    format: 'flag',
    default: false,
    arg: 'ssl-resumption',
  }),
  sslTickets: option<boolean>({
    doc: 'Sends TLS session tickets to clients.',
    format: 'flag',
    default: false,
    arg: 'ssl-tickets',
  }),
  httpPayloadSizeLimit: option<number>({
    doc: 'Largest request body, decompressed.',
    format: 'size',
    default: 100_000_000,
    arg: 'http-payload-size-limit',
  }),
  httpBodyMemory: option<number>({
    doc: 'Memory of a front for the decompressed bodies of all concurrent requests; requests that do not fit get status 503. Bodies of documents take at most 64 KiB each, the rest is written to disk. A quarter is reserved for bodies of up to 64 KiB.',
    format: 'size',
    default: 128 << 20,
    arg: 'http-body-memory',
  }),
  searchPage: option<boolean>({
    doc: 'Serves the search page at `/` in production too. In development it is always served.',
    format: 'flag',
    default: false,
    arg: 'search-page',
  }),
};
