/** Where SlateDB finds the database of a store, and the variables by which it reaches S3. */
import { profileCredentials } from './credentials.ts';
import { type Environment, parseStoreUrl } from './store-url.ts';

export const SLATEDB_FOLDER = 'db';
/** Objects of the log; their names ascend. */
export const SLATEDB_LOG = `${SLATEDB_FOLDER}/wal/`;

/** @throws ObjectStoreError if the URL is not valid */
export function slateDbPlace(
  store: string,
  env: Environment,
): { readonly url: string; readonly path: string } {
  const place = parseStoreUrl(store, env);
  if (place.kind === 'directory')
    return { url: `file://${encodeURI(place.path)}`, path: SLATEDB_FOLDER };
  return { url: `s3://${place.bucket}`, path: `${place.prefix}${SLATEDB_FOLDER}` };
}

/** SlateDB reads roles by itself, but not the file of credentials. */
export function slateDbVariables(store: string, env: Environment): Record<string, string> {
  const place = parseStoreUrl(store, env);
  if (place.kind === 'directory') return {};
  const { endpoint, bucket, pathStyle, region } = place;
  const credentials = env['AWS_ACCESS_KEY_ID'] ? null : profileCredentials(env);
  return {
    AWS_REGION: region,
    AWS_ENDPOINT: pathStyle ? endpoint.origin : `${endpoint.protocol}//${bucket}.${endpoint.host}`,
    AWS_VIRTUAL_HOSTED_STYLE_REQUEST: String(!pathStyle),
    AWS_ALLOW_HTTP: String(endpoint.protocol === 'http:'),
    ...(credentials && {
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      ...(credentials.sessionToken && { AWS_SESSION_TOKEN: credentials.sessionToken }),
    }),
  };
}
