/** Sends what a route answered: JSON, bytes or a stream, compressed as the client accepts. */
import type { Answer, AnswerChunk, StreamAnswer } from '../api/contract/answer.ts';
import { type AnswerEncoding, encodeBody, encodeChunks, encodingFor } from './answer-encoding.ts';
import { corsHeaders } from './cors.ts';
import type { Exchange } from './exchange.ts';
import { streamAnswer } from './stream-answer.ts';

type WholeAnswer = Exclude<Answer, StreamAnswer>;

const JSON_TYPE = 'application/json';
/** Nothing on the way keeps a stream, or gathers it before it hands it on. */
const LIVE = ['Cache-Control', 'no-store', 'X-Accel-Buffering', 'no'];

function bodyOf(answer: WholeAnswer): AnswerChunk | null {
  if ('bytes' in answer) return answer.bytes;
  return 'json' in answer ? JSON.stringify(answer.json) : null;
}

const contentTypeOf = (answer: WholeAnswer): string =>
  ('contentType' in answer ? answer.contentType : undefined) ?? JSON_TYPE;

const codingHeaders = (encoding: AnswerEncoding): readonly string[] => [
  ...['Content-Encoding', encoding],
  ...['Vary', 'Accept-Encoding'],
];

async function sendWhole(
  exchange: Exchange,
  answer: WholeAnswer,
  more: readonly string[],
): Promise<void> {
  const { status } = answer;
  const plain = bodyOf(answer);
  const own = ('headers' in answer ? answer.headers : undefined) ?? [];
  if (plain === null) return exchange.send({ status, headers: [...more, ...own], body: null });
  const headers = [...more, ...own, 'Content-Type', contentTypeOf(answer)];
  const encoding = encodingFor(exchange.headers.acceptEncoding, plain.length);
  if (encoding === null) return exchange.send({ status, headers, body: plain });
  const encoded = encodeBody(encoding, typeof plain === 'string' ? Buffer.from(plain) : plain);
  exchange.send({
    status,
    headers: [...headers, ...codingHeaders(encoding)],
    body: encoded instanceof Uint8Array ? encoded : await encoded,
  });
}

/**
 * Resolves when the answer has been handed to the adapter, of a stream when it has ended.
 * @param more headers, names and values in turn
 * @param onFault gets what a stream throws
 */
export function sendAnswer(
  exchange: Exchange,
  answer: Answer,
  more: readonly string[],
  onFault: (error: unknown) => void,
): Promise<void> {
  const headers = [...corsHeaders(exchange.headers.origin), ...more];
  if (!('stream' in answer)) return sendWhole(exchange, answer, headers);
  const { status, contentType } = answer;
  const encoding =
    answer.isFinite === true
      ? encodingFor(exchange.headers.acceptEncoding, Number.POSITIVE_INFINITY)
      : null;
  const coding = encoding === null ? [] : codingHeaders(encoding);
  return streamAnswer(
    exchange,
    { status, headers: [...headers, 'Content-Type', contentType, ...coding, ...LIVE] },
    (signal) => {
      const chunks = answer.stream(signal);
      return encoding === null ? chunks : encodeChunks(encoding, chunks);
    },
    onFault,
  );
}
