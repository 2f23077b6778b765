/**
 * The two expected kinds of failure, and how they cross threads and processes without losing their
 * code.
 */
import { type ErrorCode, errorCodes } from './error-codes.ts';

const MESSAGE_LENGTH_MAX = 2000;
/** What of a longer message comes from its end, where it says what is allowed. */
const MESSAGE_END_LENGTH = 800;

/** Values that a message names may be as long as a request. */
function bounded(message: string): string {
  if (message.length <= MESSAGE_LENGTH_MAX) return message;
  const beginning = message.slice(0, MESSAGE_LENGTH_MAX - MESSAGE_END_LENGTH);
  return `${beginning} … ${message.slice(-MESSAGE_END_LENGTH)}`;
}

/**
 * An expected failure with a code of the public table; its message names the offending value, the
 * field and what is allowed.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  /** Id of the one document of a batch that is to blame; null = none in particular. */
  readonly document: string | null;
  /** When to come back; null = nothing is known of that. */
  readonly retryAfterMs: number | null;
  constructor(
    code: ErrorCode,
    message: string,
    options?: ErrorOptions & {
      readonly document?: string | null;
      readonly retryAfterMs?: number | null;
    },
  ) {
    super(bounded(message), options);
    this.code = code;
    this.document = options?.document ?? null;
    this.retryAfterMs = options?.retryAfterMs ?? null;
  }
  get status(): number {
    return errorCodes[this.code].status;
  }
}

export const indexNotFound = (uid: string): ApiError =>
  new ApiError('index_not_found', `Index \`${uid}\` not found.`);

export const responseTooLarge = (bytesMax: number): ApiError =>
  new ApiError(
    'response_too_large',
    `The answer would have more than ${bytesMax} bytes, which the option \`--max-response-size\` allows. Ask for fewer hits, documents or attributes, or for cropped ones.`,
  );

/** Refused for now; the answer says when to come back. */
export class TooManyRequests extends ApiError {
  constructor(retryAfterMs: number, message: string) {
    super('too_many_requests', message, { retryAfterMs });
  }
}

/** Bytes on disk are not what was written: says where, what was expected and what was found. */
export class CorruptionError extends Error {
  override readonly name = 'CorruptionError';
  constructor(file: string, offset: number, expected: string, got: string) {
    super(`${file} is damaged at byte ${offset}: expected ${expected}, found ${got}`);
  }
}

/** The body of an error answer, and the `error` member of a failed task. */
export interface ErrorEnvelope {
  readonly message: string;
  readonly code: string;
  readonly type: string;
  readonly link: string;
}

/** Plain data of an error, for messages between threads and processes. */
export interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
  /** Id of the document that is to blame. */
  readonly document?: string | null;
  readonly retryAfterMs?: number | null;
}

/** Served by the instance that answers, so relative to its address. */
const ERRORS_PAGE = '/docs/errors';

export const toEnvelope = ({ code, message }: WireError): ErrorEnvelope => ({
  message,
  code,
  type: errorCodes[code].type,
  link: `${ERRORS_PAGE}#${code}`,
});

/**
 * Any thrown value as plain data; what is not an `ApiError` becomes `internal` (the caller logs its
 * stack).
 */
export function toWire(error: unknown): WireError {
  if (error instanceof ApiError) {
    const { code, message, document, retryAfterMs } = error;
    return {
      code,
      message,
      ...(document !== null && { document }),
      ...(retryAfterMs !== null && { retryAfterMs }),
    };
  }
  if (error instanceof CorruptionError)
    return { code: 'invalid_store_file', message: error.message };
  return { code: 'internal', message: error instanceof Error ? error.message : String(error) };
}

export const fromWire = ({ code, message, ...known }: WireError): ApiError =>
  new ApiError(code, message, known);
