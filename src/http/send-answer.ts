/** Sends the answer of a route: JSON, bytes or a stream, compressed by `Accept-Encoding`. */
import type { Answer, AnswerChunk, StreamAnswer } from '../api/contract/answer.ts';
import type { BodyShare } from '../api/contract/body-memory.ts';
import { limits } from '../core/limits.ts';
import { type AnswerEncoding, encodeBody, encodeChunks, encodingFor } from './answer-encoding.ts';
import { byteLengthOf, slicesOf } from './body-slices.ts';
import { corsHeaders } from './cors.ts';
import type { AnswerHead, Exchange } from './exchange.ts';
import { streamAnswer } from './stream-answer.ts';

type WholeAnswer = Exclude<Answer, StreamAnswer>;

interface SendOptions {
  /** More headers, names and values in turn. */
  readonly more: readonly string[];
  /** Share of the request in the budget of large answers; released when its answer has been sent. */
  readonly memory: BodyShare;
  /** Receives the error of a stream. */
  readonly onFault: (error: unknown) => void;
}

const JSON_TYPE = 'application/json';
/** Disables caching and buffering of streams in proxies. */
const LIVE = ['Cache-Control', 'no-store', 'X-Accel-Buffering', 'no'];

function bodyOf(answer: WholeAnswer): AnswerChunk | readonly Uint8Array[] | null {
  if ('bytes' in answer) return answer.bytes;
  return 'json' in answer ? JSON.stringify(answer.json) : null;
}

/** The parts of a body that counts against the budget of large answers; null = it is shorter. */
function largeParts(body: AnswerChunk | readonly Uint8Array[]): readonly Uint8Array[] | null {
  if (typeof body === 'string')
    return body.length > limits.countedAnswerBytesMin ? [Buffer.from(body)] : null;
  const parts = body instanceof Uint8Array ? [body] : body;
  return byteLengthOf(parts) > limits.countedAnswerBytesMin ? parts : null;
}

const joined = (body: AnswerChunk | readonly Uint8Array[]): AnswerChunk =>
  typeof body === 'string' || body instanceof Uint8Array ? body : Buffer.concat(body);

const contentTypeOf = (answer: WholeAnswer): string =>
  ('contentType' in answer ? answer.contentType : undefined) ?? JSON_TYPE;

const codingHeaders = (encoding: AnswerEncoding): readonly string[] => [
  ...['Content-Encoding', encoding],
  ...['Vary', 'Accept-Encoding'],
];

function sendWhole(
  exchange: Exchange,
  answer: WholeAnswer,
  more: readonly string[],
  memory: BodyShare,
): Promise<void> | undefined {
  const { status } = answer;
  const body = bodyOf(answer);
  const own = ('headers' in answer ? answer.headers : undefined) ?? [];
  if (body === null) {
    exchange.send({ status, headers: [...more, ...own], body: null });
    return undefined;
  }
  const headers = [...more, ...own, 'Content-Type', contentTypeOf(answer)];
  const large = largeParts(body);
  if (large !== null) return sendLarge(exchange, { status, headers }, large, memory);
  memory.release();
  const plain = joined(body);
  const encoding = encodingFor(exchange.headers.acceptEncoding, plain.length);
  if (encoding === null) {
    exchange.send({ status, headers, body: plain });
    return undefined;
  }
  const encoded = encodeBody(encoding, typeof plain === 'string' ? Buffer.from(plain) : plain);
  const sendEncoded = (bytes: Uint8Array): void =>
    exchange.send({ status, headers: [...headers, ...codingHeaders(encoding)], body: bytes });
  if (!(encoded instanceof Uint8Array)) return encoded.then(sendEncoded);
  sendEncoded(encoded);
  return undefined;
}

/** @throws ApiError when clients hold too much of other large answers */
async function sendLarge(
  exchange: Exchange,
  { status, headers }: AnswerHead,
  parts: readonly Uint8Array[],
  memory: BodyShare,
): Promise<void> {
  const bytes = byteLengthOf(parts);
  memory.holdAtLeast(bytes);
  const onReleased = () => memory.release();
  const encoding = encodingFor(exchange.headers.acceptEncoding, bytes);
  if (encoding === null) return exchange.send({ status, headers, body: parts, onReleased });
  const encoded: Uint8Array[] = [];
  for await (const chunk of encodeChunks(encoding, slicesOf(parts))) {
    if (exchange.isAborted) break;
    encoded.push(chunk);
  }
  exchange.send({
    status,
    headers: [...headers, ...codingHeaders(encoding)],
    body: encoded,
    onReleased,
  });
}

/**
 * Resolves when the answer has been handed to the adapter, of a stream when it has ended. Returns
 * undefined if it has been handed over at once.
 * @throws ApiError when other large answers that clients have not read yet leave no memory for it
 */
export function sendAnswer(
  exchange: Exchange,
  answer: Answer,
  { more, memory, onFault }: SendOptions,
): Promise<void> | undefined {
  const headers = [...corsHeaders(exchange.headers.origin), ...more];
  if (!('stream' in answer)) return sendWhole(exchange, answer, headers, memory);
  const { status, contentType, headers: own = [] } = answer;
  const encoding =
    answer.isFinite === true
      ? encodingFor(exchange.headers.acceptEncoding, Number.POSITIVE_INFINITY)
      : null;
  const coding = encoding === null ? [] : codingHeaders(encoding);
  return streamAnswer(
    exchange,
    { status, headers: [...headers, ...own, 'Content-Type', contentType, ...coding, ...LIVE] },
    (signal) => {
      const chunks = answer.stream(signal);
      return encoding === null ? chunks : encodeChunks(encoding, chunks);
    },
    { onFault },
  );
}
