/**
 * Start here: one chat, from the request to the events for the client. Each round calls the
 * provider and passes its text on as it arrives. If the model calls the search tool, the server
 * searches and calls the provider again.
 */

import type { ErrorCode } from '../core/error-codes.ts';
import { ApiError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import type { OpenRequest } from '../http-client/outgoing-http.ts';
import { type ChatWorkspace, promptsOf } from '../model/chat-workspace.ts';
import type { ChatCompletionBody, ChatMessage } from '../model/schemas/chat-schema.ts';
import { AssistantTurn, type TokenUsage, type ToolCall } from './assistant-turn.ts';
import { ChatError, type ChatFault, chatEnd } from './chat-error.ts';
import type { ChatLimits } from './chat-limits.ts';
import type { ChatMetrics } from './chat-metrics.ts';
import {
  appendReport,
  declaredTools,
  progressReport,
  type Report,
  sourcesReport,
} from './client-tools.ts';
import { providerBody } from './provider-request.ts';
import { providerChunks } from './provider-stream.ts';
import {
  type ChatIndex,
  describedIndexes,
  readSearchCall,
  type SearchCall,
  searchTools,
  systemMessage,
} from './search-tool.ts';

/** Result of a search, for the model and for the client. */
export interface Found {
  readonly text: string;
  readonly documents: readonly unknown[];
}

export interface ChatOptions {
  readonly workspace: ChatWorkspace;
  /** Checked by the route. */
  readonly body: ChatCompletionBody;
  readonly indexes: readonly ChatIndex[];
  /** Rejects with `ApiError` for errors that are returned to the model. */
  readonly search: (call: SearchCall) => Promise<Found>;
  readonly open: OpenRequest;
  readonly metrics: ChatMetrics;
  readonly limits: ChatLimits;
  readonly createUid: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onBug: (error: unknown) => void;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

const DONE = 'data: [DONE]\n\n';
const MS_PER_SECOND = 1000;
const INTERNAL: ErrorCode = 'internal';

const toEvent = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

/** Server-sent events; the last one is `[DONE]`, also after an error. Never throws. */
export async function* chatEvents(options: ChatOptions): AsyncGenerator<string> {
  try {
    for await (const data of new Chat(options).rounds()) yield toEvent(data);
  } catch (error) {
    if (options.signal.aborted) return;
    yield toEvent(errorEvent(error, options));
  }
  yield DONE;
}

function errorEvent(error: unknown, { createUid, onBug }: ChatOptions): object {
  const event_id = createUid();
  return { event_id, type: 'error', error: { ...faultOf(error, onBug), event_id } };
}

function faultOf(error: unknown, onBug: ChatOptions['onBug']): ChatFault {
  if (error instanceof ChatError) return error.fault;
  onBug(error);
  const message = 'An unexpected error occurred; the log of the server has the details.';
  return { type: INTERNAL, code: INTERNAL, message, param: null };
}

/** Result of a tool call: text for the model, and documents for the client. */
interface Answered {
  readonly call: ToolCall;
  readonly found: Found;
}

class Chat {
  readonly #options: ChatOptions;
  readonly #messages: ChatMessage[];
  readonly #tools: readonly object[];
  readonly #reportsTo: ReadonlySet<Report['tool']>;
  readonly #id: string;
  #chars = 0;
  #reportCount = 0;
  #usage: TokenUsage = { prompt: 0, completion: 0, total: 0 };

  constructor(options: ChatOptions) {
    const { workspace, body, createUid } = options;
    const prompts = promptsOf(workspace);
    const indexes = describedIndexes(options.indexes);
    const content = systemMessage(prompts, indexes);
    this.#options = options;
    this.#tools = body['tool_choice'] === 'none' ? [] : searchTools(prompts, indexes);
    this.#reportsTo = declaredTools(body);
    this.#messages = [{ role: 'system', content }, ...body.messages];
    this.#chars = JSON.stringify(this.#messages).length;
    this.#id = `chatcmpl-${createUid()}`;
  }

  /** Chunks for the client. Throws `ChatError`. */
  async *rounds(): AsyncGenerator<Json> {
    const { roundsMax } = this.#options.limits;
    for (let round = 1; round <= roundsMax; round += 1) {
      const turn = yield* this.#ask(round);
      if (turn.toolCalls.length === 0) {
        if (this.#options.body.stream_options?.include_usage === true) yield this.#usageChunk();
        return;
      }
      yield* this.#answer(turn);
    }
    throw chatEnd(
      'too_many_rounds',
      `The model called searches in ${roundsMax} rounds and gave no answer.`,
    );
  }

  async *#ask(round: number): AsyncGenerator<Json, AssistantTurn> {
    const { workspace, body, limits, metrics } = this.#options;
    const turn = new AssistantTurn(limits);
    const chunks = providerChunks({
      ...this.#options,
      body: providerBody(workspace, body, {
        messages: this.#messages,
        tools: this.#tools,
        toolChoice: this.#toolChoice(round),
      }),
    });
    const hasEnded = yield* passedOn(chunks, turn);
    if (turn.usage !== null) {
      metrics.used(workspace.uid, body.model, turn.usage);
      this.#usage = sumOf(this.#usage, turn.usage);
    }
    if (!hasEnded && !turn.isFinished)
      throw chatEnd('answer_cut_off', 'The answer of the provider ended in the middle.');
    return turn;
  }

  #toolChoice(round: number): unknown {
    if (round === this.#options.limits.roundsMax) return 'none';
    return round === 1 ? (this.#options.body['tool_choice'] ?? 'auto') : 'auto';
  }

  /** Runs the searches of a turn concurrently, and yields reports of them. */
  async *#answer({ content, toolCalls }: AssistantTurn): AsyncGenerator<Json> {
    const asked = {
      role: 'assistant',
      content: content === '' ? null : content,
      tool_calls: toolCalls,
    } as const;
    this.#remember(asked);
    yield* this.#reports([appendReport(asked), ...toolCalls.map(progressReport)]);
    const answers = await Promise.all(toolCalls.map((call) => this.#search(call)));
    for (const { call, found } of answers) {
      const answer = { role: 'tool', tool_call_id: call.id, content: found.text } as const;
      this.#remember(answer);
      yield* this.#reports([sourcesReport(call, found.documents), appendReport(answer)]);
    }
  }

  async #search(call: ToolCall): Promise<Answered> {
    const { search, metrics } = this.#options;
    const asked = readSearchCall(call.function.name, call.function.arguments);
    if (typeof asked === 'string') return { call, found: textResult(asked) };
    try {
      metrics.searched();
      return { call, found: await search(asked) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { call, found: textResult(`The search failed: ${error.message}`) };
    }
  }

  #remember(message: ChatMessage): void {
    const { conversationCharsMax } = this.#options.limits;
    this.#messages.push(message);
    this.#chars += JSON.stringify(message).length;
    if (this.#chars > conversationCharsMax)
      throw chatEnd(
        'conversation_too_long',
        `The conversation has more than ${conversationCharsMax} characters, with what was found.`,
      );
  }

  *#reports(reports: readonly Report[]): Generator<Json> {
    for (const { tool, arguments: given } of reports) {
      if (!this.#reportsTo.has(tool)) continue;
      const call = {
        index: this.#reportCount,
        id: `call_${this.#options.createUid()}`,
        type: 'function',
        function: { name: tool, arguments: JSON.stringify(given) },
      };
      this.#reportCount += 1;
      const delta = { role: 'assistant', content: null, tool_calls: [call] };
      yield this.#chunk({ choices: [{ index: 0, delta, finish_reason: null }] });
    }
  }

  #usageChunk(): Json {
    const { prompt, completion, total } = this.#usage;
    return this.#chunk({
      choices: [],
      usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total },
    });
  }

  #chunk(members: Json): Json {
    const { body, now } = this.#options;
    return {
      id: this.#id,
      object: 'chat.completion.chunk',
      created: Math.floor(now() / MS_PER_SECOND),
      model: body.model,
      ...members,
    };
  }
}

const textResult = (text: string): Found => ({ text, documents: [] });

const sumOf = (a: TokenUsage, b: TokenUsage): TokenUsage => ({
  prompt: a.prompt + b.prompt,
  completion: a.completion + b.completion,
  total: a.total + b.total,
});

async function* passedOn(
  chunks: AsyncGenerator<Json, boolean>,
  turn: AssistantTurn,
): AsyncGenerator<Json, boolean> {
  try {
    for (;;) {
      const next = await chunks.next();
      if (next.done === true) return next.value;
      const passed = turn.add(next.value);
      if (passed !== null) yield passed;
    }
  } finally {
    await chunks.return(false);
  }
}
