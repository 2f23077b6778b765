/**
 * Credentials of S3, from the first source that the environment names, as in AWS tools:
 *
 *   1. AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN
 *   2. AWS_ROLE_ARN with AWS_WEB_IDENTITY_TOKEN_FILE: a role by a token (Kubernetes)
 *   3. AWS_SHARED_CREDENTIALS_FILE or ~/.aws/credentials, profile AWS_PROFILE
 *   4. AWS_CONTAINER_CREDENTIALS_FULL_URI or _RELATIVE_URI: the role of a container
 *   5. the role of the virtual machine, by its metadata service
 *
 * Temporary credentials are requested again five minutes before they expire, and used until then while
 * that fails.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type {
  OutgoingAnswer,
  OutgoingRequest,
  SendRequest,
} from '../../http-client/outgoing-http.ts';
import { ObjectStoreAway, ObjectStoreError } from './object-store.ts';
import { element, encodedQuery } from './s3-protocol.ts';
import type { Environment } from './store-url.ts';

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export type CredentialSource = () => Promise<S3Credentials>;

interface Temporary extends S3Credentials {
  /** Milliseconds since 1970; infinity for credentials that do not expire. */
  readonly expiresMs: number;
}

export interface CredentialOptions {
  readonly env: Environment;
  readonly send: SendRequest;
  readonly region: string;
  readonly nowMs: () => number;
}

const RENEWED_BEFORE_MS = 300_000;
/** From a request for new credentials that failed to the next one, while the old ones are valid. */
const RENEWAL_RETRY_MS = 10_000;
const ROLE_MS = 5000;
/** Without such a machine the address does not answer. */
const MACHINE_MS = 1000;
const ANSWER_BYTES_MAX = 1 << 16;
const OK = 200;
const SERVER_ERROR = 500;
const CONTAINER_ORIGIN = 'http://169.254.170.2';
const MACHINE_ORIGIN = 'http://169.254.169.254';
const MACHINE_ROLES = `${MACHINE_ORIGIN}/latest/meta-data/iam/security-credentials/`;

/** @throws ObjectStoreAway if a source that had credentials does not answer, ObjectStoreError */
export function credentialSource(options: CredentialOptions): CredentialSource {
  const { nowMs } = options;
  let found: Temporary | null = null;
  let request: Promise<Temporary> | null = null;
  let renewMs = Number.NEGATIVE_INFINITY;
  const renew = async (): Promise<Temporary> => {
    try {
      found = await findCredentials(options);
      renewMs = found.expiresMs - RENEWED_BEFORE_MS;
      return found;
    } catch (error) {
      if (found === null) throw toStoreError(error);
      if (found.expiresMs <= nowMs()) throw new ObjectStoreAway((error as Error).message);
      renewMs = nowMs() + RENEWAL_RETRY_MS;
      return found;
    } finally {
      request = null;
    }
  };
  return async () => {
    let current = found;
    if (current === null || nowMs() >= renewMs) {
      request ??= renew();
      current = await request;
    }
    const { accessKeyId, secretAccessKey, sessionToken } = current;
    return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  };
}

const toStoreError = (error: unknown): ObjectStoreError => {
  if (error instanceof ObjectStoreError) return error;
  return new ObjectStoreError(`credentials of the store: ${(error as Error).message}`, {
    cause: error,
  });
};

async function findCredentials(options: CredentialOptions): Promise<Temporary> {
  const { env } = options;
  const found =
    permanent(env['AWS_ACCESS_KEY_ID'], env['AWS_SECRET_ACCESS_KEY'], env['AWS_SESSION_TOKEN']) ??
    (await ofWebIdentity(options)) ??
    profileCredentials(env) ??
    (await ofContainer(options)) ??
    (await ofMachine(options));
  if (found !== null) return found;
  throw new ObjectStoreError(
    'no credentials of the store: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, write ~/.aws/credentials, or give this machine a role',
  );
}

type Given = string | null | undefined;

function permanent(
  accessKeyId: Given,
  secretAccessKey: Given,
  sessionToken: Given,
): Temporary | null {
  if (!accessKeyId || !secretAccessKey) return null;
  const expiresMs = Number.POSITIVE_INFINITY;
  return { accessKeyId, secretAccessKey, expiresMs, ...(sessionToken && { sessionToken }) };
}

async function ofWebIdentity({ env, send, region, nowMs }: CredentialOptions) {
  const { AWS_ROLE_ARN: role, AWS_WEB_IDENTITY_TOKEN_FILE: file } = env;
  if (!role || !file) return null;
  const query = encodedQuery({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: env['AWS_ROLE_SESSION_NAME'] || `gannet-${nowMs()}`,
    WebIdentityToken: fs.readFileSync(file, 'utf8').trim(),
  });
  const origin = env['AWS_ENDPOINT_URL_STS'] || `https://sts.${region}.amazonaws.com`;
  const { body } = await answered(send, { method: 'GET', url: `${origin}/${query}`, headers: {} });
  const xml = body.toString();
  return temporary(
    {
      AccessKeyId: element(xml, 'AccessKeyId'),
      SecretAccessKey: element(xml, 'SecretAccessKey'),
      Token: element(xml, 'SessionToken'),
      Expiration: element(xml, 'Expiration'),
    },
    origin,
  );
}

/** A profile of an INI file. */
export function profileCredentials(env: Environment): Temporary | null {
  const file =
    env['AWS_SHARED_CREDENTIALS_FILE'] ||
    path.join(env['HOME'] || os.homedir(), '.aws/credentials');
  if (!fs.existsSync(file)) return null;
  const wanted = env['AWS_PROFILE'] || 'default';
  const values = new Map<string, string>();
  let profile = '';
  for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
    const section = /^\s*\[\s*([^\]]+?)\s*\]/.exec(line);
    if (section !== null) profile = section[1] as string;
    const pair = /^\s*([\w-]+)\s*=\s*(\S+)/.exec(line);
    if (pair !== null && profile === wanted) values.set(pair[1] as string, pair[2] as string);
  }
  return permanent(
    values.get('aws_access_key_id'),
    values.get('aws_secret_access_key'),
    values.get('aws_session_token'),
  );
}

async function ofContainer({ env, send }: CredentialOptions): Promise<Temporary | null> {
  const relative = env['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'];
  const url = relative ? CONTAINER_ORIGIN + relative : env['AWS_CONTAINER_CREDENTIALS_FULL_URI'];
  if (!url) return null;
  const file = env['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'];
  const token = file
    ? fs.readFileSync(file, 'utf8').trim()
    : env['AWS_CONTAINER_AUTHORIZATION_TOKEN'];
  const headers: OutgoingRequest['headers'] = token ? { authorization: token } : {};
  const { body } = await answered(send, { method: 'GET', url, headers });
  return temporary(JSON.parse(body.toString()), new URL(url).origin);
}

/** The second version of the metadata service; null if this is no such machine. */
async function ofMachine({ env, send }: CredentialOptions): Promise<Temporary | null> {
  if (env['AWS_EC2_METADATA_DISABLED'] === 'true') return null;
  const text = async (method: 'GET' | 'PUT', url: string, headers: OutgoingRequest['headers']) =>
    (await answered(send, { method, url, headers }, MACHINE_MS)).body.toString();
  let token: string;
  try {
    token = await text('PUT', `${MACHINE_ORIGIN}/latest/api/token`, {
      'x-aws-ec2-metadata-token-ttl-seconds': '21600',
    });
  } catch {
    return null;
  }
  const headers = { 'x-aws-ec2-metadata-token': token };
  const [role = ''] = (await text('GET', MACHINE_ROLES, headers)).split('\n');
  return temporary(JSON.parse(await text('GET', MACHINE_ROLES + role, headers)), MACHINE_ORIGIN);
}

function temporary(given: Readonly<Record<string, Given>>, origin: string): Temporary {
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = given;
  const found = permanent(AccessKeyId, SecretAccessKey, Token);
  if (found === null) throw new ObjectStoreError(`${origin} answers without credentials`);
  return { ...found, expiresMs: Date.parse(Expiration ?? '') || Number.POSITIVE_INFINITY };
}

async function answered(
  send: SendRequest,
  request: Pick<OutgoingRequest, 'method' | 'url' | 'headers'>,
  timeoutMs = ROLE_MS,
): Promise<OutgoingAnswer> {
  const source = `credentials of the store: ${new URL(request.url).origin}`;
  const sent = send({ ...request, timeoutMs, answerBytesMax: ANSWER_BYTES_MAX });
  const answer = await sent.catch((cause: Error) => {
    throw new ObjectStoreAway(`${source}: ${cause.message}`, { cause });
  });
  if (answer.status === OK) return answer;
  const message = `${source} answers ${answer.status}`;
  throw answer.status >= SERVER_ERROR
    ? new ObjectStoreAway(message)
    : new ObjectStoreError(message);
}
