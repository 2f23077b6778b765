/**
 * The message of a model in one round, assembled from the chunks of its stream, and the part of
 * each chunk that the client receives: everything except calls of the search tool.
 */
import { isObject, type Json, objectOf } from '../core/json.ts';
import { chatEnd } from './chat-error.ts';
import type { ChatLimits } from './chat-limits.ts';

/** In the form of conversations. */
export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface TokenUsage {
  readonly prompt: number;
  readonly completion: number;
  readonly total: number;
}

interface CallParts {
  id: string;
  name: string;
  arguments: string;
}

/** Finish reasons of a round with tool calls, which this server answers. */
const CALLS_FOLLOW: readonly unknown[] = ['tool_calls', 'function_call'];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;

export class AssistantTurn {
  readonly #limits: ChatLimits;
  readonly #calls = new Map<number, CallParts>();
  #chars = 0;
  content = '';
  usage: TokenUsage | null = null;
  isFinished = false;

  constructor(limits: ChatLimits) {
    this.#limits = limits;
  }

  /** In order of their first chunks. */
  get toolCalls(): ToolCall[] {
    return [...this.#calls].map(([index, { id, name, arguments: text }]) => ({
      id: id === '' ? `call_${index}` : id,
      type: 'function',
      function: { name, arguments: text === '' ? '{}' : text },
    }));
  }

  /** @returns the chunk for the client, null for none. Throws `ChatError` */
  add(chunk: Json): Json | null {
    if (isObject(chunk['usage'])) this.usage = usageOf(chunk['usage']);
    const choices = Array.isArray(chunk['choices']) ? chunk['choices'] : [];
    const passed = choices.filter(isObject).flatMap((choice) => this.#choice(choice) ?? []);
    return passed.length === 0 ? null : { ...chunk, choices: passed };
  }

  #choice(choice: Json): Json | null {
    const delta = objectOf(choice['delta']);
    const { tool_calls: calls, ...said } = delta;
    const isEnd = choice['finish_reason'] !== null && choice['finish_reason'] !== undefined;
    if (isEnd) this.isFinished = true;
    this.content += textOf(said['content']);
    this.#count(textOf(said['content']).length);
    if (Array.isArray(calls)) for (const call of calls.filter(isObject)) this.#call(call);
    if (isEnd && CALLS_FOLLOW.includes(choice['finish_reason']))
      return saysSomething(said) ? { ...choice, delta: said, finish_reason: null } : null;
    return isEnd || saysSomething(said) ? { ...choice, delta: said } : null;
  }

  #call(part: Json): void {
    const { id, function: called } = part;
    const index = this.#indexOf(part);
    const call = this.#calls.get(index) ?? { id: '', name: '', arguments: '' };
    const { name, arguments: text } = objectOf(called);
    if (call.id === '') call.id = textOf(id);
    if (call.name === '') call.name = textOf(name);
    const more = isObject(text) ? JSON.stringify(text) : textOf(text);
    this.#count(more.length + call.name.length);
    call.arguments += more;
    this.#calls.set(index, call);
    if (this.#calls.size > this.#limits.callsMax)
      throw chatEnd(
        'too_many_searches',
        `The model called more than ${this.#limits.callsMax} searches at once.`,
      );
  }

  /** A part without an index belongs to the previous call, unless it has an id of its own. */
  #indexOf({ index, id }: Json): number {
    if (typeof index === 'number') return index;
    const last = [...this.#calls.keys()].at(-1);
    if (last === undefined) return 0;
    const isNew = typeof id === 'string' && id !== '' && id !== this.#calls.get(last)?.id;
    return isNew ? last + 1 : last;
  }

  #count(chars: number): void {
    this.#chars += chars;
    if (this.#chars > this.#limits.turnCharsMax)
      throw chatEnd(
        'answer_too_long',
        `The model wrote more than ${this.#limits.turnCharsMax} characters at once.`,
      );
  }
}

/** True if a delta has more than the role and empty values. */
const saysSomething = (delta: Json): boolean =>
  Object.entries(delta).some(
    ([name, value]) => name !== 'role' && value !== null && value !== '' && value !== undefined,
  );

function usageOf(usage: Json): TokenUsage {
  const prompt = countOf(usage['prompt_tokens']);
  const completion = countOf(usage['completion_tokens']);
  return { prompt, completion, total: countOf(usage['total_tokens']) || prompt + completion };
}
