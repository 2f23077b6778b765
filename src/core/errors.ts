/**
 * The two kinds of expected failures, and their serialization between threads and processes, which
 * keeps the code.
 */
import { type ErrorCode, errorCodes } from './error-codes.ts';

const MESSAGE_LENGTH_MAX = 2000;
/** Characters from the end of a message that is cut: the end says which values are allowed. */
const MESSAGE_END_LENGTH = 800;

/** Cuts long messages: a value quoted in a message can be as long as a request. */
function bounded(message: string): string {
  if (message.length <= MESSAGE_LENGTH_MAX) return message;
  const beginning = message.slice(0, MESSAGE_LENGTH_MAX - MESSAGE_END_LENGTH);
  return `${beginning} … ${message.slice(-MESSAGE_END_LENGTH)}`;
}

/** A member of V8, absent from the types of browsers. */
const traced: { readonly prototype: Error; stackTraceLimit?: number | undefined } = Error;

/**
 * An expected failure with a public error code. Its message names the invalid value, the field and
 * the allowed values. It has no stack: to capture one takes a tenth of the time of a refused request.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  /** Id of the document in a batch that caused the error; null = no single document. */
  readonly document: string | null;
  /** Milliseconds after which a retry may succeed; null = unknown. */
  readonly retryAfterMs: number | null;
  constructor(
    code: ErrorCode,
    message: string,
    options?: ErrorOptions & {
      readonly document?: string | null;
      readonly retryAfterMs?: number | null;
    },
  ) {
    const { stackTraceLimit } = traced;
    traced.stackTraceLimit = 0;
    super(bounded(message), options);
    traced.stackTraceLimit = stackTraceLimit;
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

/** A temporary refusal; the response has a `Retry-After` header. */
export class TooManyRequests extends ApiError {
  constructor(retryAfterMs: number, message: string) {
    super('too_many_requests', message, { retryAfterMs });
  }
}

/**
 * Data on disk differs from the data written. Has the place, the expected and the found value.
 */
export class CorruptionError extends Error {
  override readonly name = 'CorruptionError';
  /** @param place offset in bytes, or a member in words */
  constructor(file: string, place: number | string, expected: string, got: string) {
    const at = typeof place === 'number' ? `byte ${place}` : place;
    super(`${file} is damaged at ${at}: expected ${expected}, found ${got}`);
  }
}

/** The body of an error response, and the member `error` of a failed task. */
export interface ErrorEnvelope {
  readonly message: string;
  readonly code: string;
  readonly type: string;
  readonly link: string;
}

/** An error as plain data, for messages between threads and processes. */
export interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly document?: string | null;
  readonly retryAfterMs?: number | null;
}

/** Path on the responding instance, so the link is relative. */
const ERRORS_PAGE = '/docs/errors';

export const toEnvelope = ({ code, message }: WireError): ErrorEnvelope => ({
  message,
  code,
  type: errorCodes[code].type,
  link: `${ERRORS_PAGE}#${code}`,
});

/**
 * Any thrown value as plain data. A value other than `ApiError` becomes `internal`; the caller logs
 * its stack.
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

/**
 * @param damage one description for each damaged file; no error when empty
 * @param consequence follows "Index `x` is damaged", such as " and can only be deleted"
 * @throws ApiError `invalid_store_file`
 */
export function throwIfDamaged(uid: string, damage: readonly string[], consequence = ''): void {
  if (damage.length === 0) return;
  throw new ApiError(
    'invalid_store_file',
    `Index \`${uid}\` is damaged${consequence}: ${damage.join('; ')}.`,
  );
}
