/** One round with the provider: its response as chunks; all failures are `ChatError`. */

import { createParser } from 'eventsource-parser';
import { isObject, type Json, parseJson } from '../core/json.ts';
import { maskSecret } from '../core/mask-secret.ts';
import { OutgoingError, withoutHosts } from '../http-client/outgoing-error.ts';
import { type OpenRequest, wholeBody } from '../http-client/outgoing-http.ts';
import type { ChatWorkspace } from '../model/chat-workspace.ts';
import { ChatError, providerEnd } from './chat-error.ts';
import type { ChatLimits } from './chat-limits.ts';
import { providerRequest } from './provider-request.ts';

/** An event is longer than allowed. */
export class EventTooLong extends Error {
  override readonly name = 'EventTooLong';
}

/**
 * Yields the data of each event, also of a last event without its blank line.
 * @param charsMax of one event
 * @throws EventTooLong
 */
export async function* readEvents(
  chunks: AsyncIterable<Uint8Array>,
  charsMax: number,
): AsyncGenerator<string> {
  const events: string[] = [];
  const parser = createParser({
    maxBufferSize: charsMax,
    onEvent: ({ data }) => events.push(data),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded')
        throw new EventTooLong(`an event has more than ${charsMax} characters`);
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* events.splice(0);
  }
  parser.feed(`${decoder.decode()}\n\n`);
  yield* events;
}

interface ProviderCall {
  readonly open: OpenRequest;
  readonly workspace: ChatWorkspace;
  readonly body: object;
  readonly limits: ChatLimits;
  readonly signal: AbortSignal;
}

const DONE = '[DONE]';
/** Maximum characters of a provider's message. */
const MESSAGE_CHARS_MAX = 2000;

/** Throws `ChatError`. Returns true if the stream ended properly. */
export async function* providerChunks(call: ProviderCall): AsyncGenerator<Json, boolean> {
  try {
    return yield* chunksOf(call);
  } catch (error) {
    throw toChatError(error, call);
  }
}

async function* chunksOf(call: ProviderCall): AsyncGenerator<Json, boolean> {
  const { open, workspace, body: asked, limits, signal } = call;
  const { status, body } = await open({
    ...providerRequest(workspace),
    method: 'POST',
    body: Buffer.from(JSON.stringify(asked)),
    timeoutMs: limits.roundMs,
    stallMs: limits.stallMs,
    answerBytesMax: limits.answerBytesMax,
    signal,
  });
  if (status !== 200) throw refusal(status, (await wholeBody(body)).toString());
  for await (const data of readEvents(body, limits.eventCharsMax)) {
    if (data === DONE) return true;
    yield readChunk(data);
  }
  return false;
}

function readChunk(data: string): Json {
  const chunk = parseJson(data);
  if (!isObject(chunk))
    throw providerEnd('invalid_chunk', 'The provider sent an event that is not a JSON object.');
  if (chunk['error'] !== undefined && chunk['error'] !== null) throw errorIn(chunk, null);
  return chunk;
}

function refusal(status: number, text: string): ChatError {
  const value = parseJson(text);
  if (isObject(value)) return errorIn(value, status);
  return providerEnd(
    String(status),
    `The provider answered with status ${status}${text.trim() === '' ? '.' : `: ${text.trim()}`}`,
  );
}

/** Providers send `{error: {…}}`, the members of an error, or `detail`. */
function errorIn(answer: Json, status: number | null): ChatError {
  const { error = answer } = answer;
  const { type, code, message, param, detail } = isObject(error) ? error : { message: error };
  const said = message ?? detail;
  const shownCode = code ?? status;
  return new ChatError({
    type: typeof type === 'string' ? type : 'provider_error',
    code: shownCode === null ? null : String(shownCode),
    message:
      typeof said === 'string' ? said : `The provider refused: ${JSON.stringify(said ?? error)}`,
    param: typeof param === 'string' ? param : null,
  });
}

function toChatError(error: unknown, { workspace, limits }: ProviderCall): unknown {
  if (error instanceof ChatError) return withoutSecret(error, workspace);
  if (error instanceof OutgoingError)
    return providerEnd(
      error.failure,
      `The provider did not answer: ${withoutHosts(error.message)}`,
    );
  if (error instanceof EventTooLong)
    return providerEnd(
      'tooLarge',
      `The provider sent an event of more than ${limits.eventCharsMax} characters.`,
    );
  return error;
}

/** Removes the API key, because providers may quote the request. */
function withoutSecret({ fault }: ChatError, { apiKey }: ChatWorkspace): ChatError {
  const message = fault.message.slice(0, MESSAGE_CHARS_MAX);
  return new ChatError({
    ...fault,
    message: apiKey ? message.replaceAll(apiKey, maskSecret(apiKey)) : message,
  });
}
