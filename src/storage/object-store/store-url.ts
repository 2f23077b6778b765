/**
 * The URL of a store:
 *
 *   file:///absolute/path
 *   s3://bucket/prefix?endpoint=https://host:9000&region=eu-central-1&path-style=true
 *
 * What the URL lacks comes from the variables that AWS tools read: AWS_ENDPOINT_URL_S3,
 * AWS_ENDPOINT_URL, AWS_REGION, AWS_DEFAULT_REGION. Without an endpoint it is Amazon's. Path style
 * (`host/bucket/key`, not `bucket.host/key`) is the default of every other endpoint.
 */
import { isKey, ObjectStoreError } from './object-store.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface S3Place {
  readonly kind: 's3';
  readonly bucket: string;
  /** Empty, or ends with `/`. */
  readonly prefix: string;
  /** Origin with which every request begins, without the bucket. */
  readonly endpoint: URL;
  readonly region: string;
  readonly pathStyle: boolean;
}

export type StorePlace = { readonly kind: 'directory'; readonly path: string } | S3Place;

/** False for the path of a folder. */
export const isStoreUrl = (text: string): boolean => /^(s3|file):\/\//.test(text);

const REGION_DEFAULT = 'us-east-1';
const PARAMETERS = ['endpoint', 'region', 'path-style'];
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** @throws ObjectStoreError that names the part of the URL that is not valid */
export function parseStoreUrl(text: string, env: Environment): StorePlace {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'file:') return directoryPlace(url, text);
  if (url?.protocol === 's3:') return s3Place(url, text, env);
  throw invalid(text, 'it must begin with `s3://` or `file:///`');
}

function directoryPlace(url: URL, text: string): StorePlace {
  if (url.hostname !== '') throw invalid(text, 'a path begins with a third slash: `file:///path`');
  return { kind: 'directory', path: decodeURIComponent(url.pathname) };
}

function s3Place(url: URL, text: string, env: Environment): S3Place {
  if (url.username !== '' || url.password !== '')
    throw invalid(
      withoutUser(url),
      'credentials belong in the environment or in a credentials file, not in the URL',
    );
  if (!BUCKET.test(url.hostname)) throw invalid(text, `\`${url.hostname}\` is not a bucket name`);
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined)
    throw invalid(text, `\`${unknown}\` is not one of ${PARAMETERS.join(', ')}`);
  const region =
    url.searchParams.get('region') ||
    env['AWS_REGION'] ||
    env['AWS_DEFAULT_REGION'] ||
    REGION_DEFAULT;
  const given =
    url.searchParams.get('endpoint') || env['AWS_ENDPOINT_URL_S3'] || env['AWS_ENDPOINT_URL'] || '';
  const pathStyle = url.searchParams.get('path-style');
  if (pathStyle !== null && pathStyle !== 'true' && pathStyle !== 'false')
    throw invalid(text, '`path-style` is `true` or `false`');
  return {
    kind: 's3',
    bucket: url.hostname,
    prefix: prefixOf(url, text),
    endpoint: endpointOf(given || `https://s3.${region}.amazonaws.com`, text),
    region,
    pathStyle: pathStyle === null ? given !== '' : pathStyle === 'true',
  };
}

function prefixOf(url: URL, text: string): string {
  const path = url.pathname.replace(/^\/+|\/+$/g, '');
  if (path === '') return '';
  if (isKey(path)) return `${path}/`;
  throw invalid(text, 'a prefix has only letters, digits, `.`, `_`, `-` and `/`');
}

function endpointOf(given: string, text: string): URL {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.pathname !== '/')
    throw invalid(text, `the endpoint \`${given}\` is not \`https://host\``);
  return url;
}

function withoutUser(url: URL): string {
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return shown.href;
}

const invalid = (text: string, reason: string): ObjectStoreError =>
  new ObjectStoreError(`\`${text}\` is not a valid URL of a store: ${reason}`);
