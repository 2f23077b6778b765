/** Chats with a provider over HTTP: what it is asked, what the client gets, whatever goes wrong. */
import { afterEach, describe, expect, it } from 'vitest';
import { type ChatOptions, chatEvents, type Found } from '../../../src/chat/chat.ts';
import { CHAT_LIMITS } from '../../../src/chat/chat-limits.ts';
import { ChatMetrics } from '../../../src/chat/chat-metrics.ts';
import type { SearchCall } from '../../../src/chat/search-tool.ts';
import { ApiError } from '../../../src/core/errors.ts';
import { AddressPolicy } from '../../../src/http-client/address-policy.ts';
import { OutgoingHttp } from '../../../src/http-client/outgoing-http.ts';
import { newWorkspace } from '../../../src/model/chat-workspace.ts';
import type { ChatCompletionBody } from '../../../src/model/schemas/chat-schema.ts';
import {
  calling,
  type MadeChatProvider,
  makeChatProvider,
  saying,
  searching,
  usage,
} from '../../support/made-chat-provider.ts';
import { until } from '../../support/until.ts';

const http = new OutgoingHttp(new AddressPolicy(['127.0.0.1']));
let provider: MadeChatProvider | null = null;
afterEach(() => provider?.close());

const question = { role: 'user', content: 'Which films are about dogs?' } as const;
const toolNamed = (name: string) => ({ type: 'function', function: { name } });
const REPORTS = [
  '_meiliSearchProgress',
  '_meiliSearchSources',
  '_meiliAppendConversationMessage',
].map(toolNamed);
const dogs: Found = { text: 'title: Lassie', documents: [{ id: 1, title: 'Lassie' }] };

interface Made extends Partial<Omit<ChatOptions, 'body' | 'limits'>> {
  readonly body?: Partial<ChatCompletionBody>;
  readonly limits?: Partial<ChatOptions['limits']>;
}

function chatWith(made: MadeChatProvider, { body, limits, ...more }: Made = {}) {
  provider = made;
  const searches: SearchCall[] = [];
  const bugs: unknown[] = [];
  let uid = 0;
  const options: ChatOptions = {
    workspace: { ...newWorkspace('shop'), baseUrl: made.url, apiKey: 'sk-a-long-secret-key' },
    body: { model: 'made', messages: [question], stream: true, ...body },
    indexes: [
      {
        uid: 'films',
        description: 'Films of all times.',
        filterable: ['year', 'genre'],
        values: { genre: ['drama', 'sci "fi"'] },
      },
    ],
    search: async (call) => {
      searches.push(call);
      return dogs;
    },
    open: http.open,
    metrics: new ChatMetrics(),
    limits: { ...CHAT_LIMITS, ...limits },
    createUid: () => String(uid++),
    now: () => 5000,
    onBug: (error) => void bugs.push(error),
    signal: new AbortController().signal,
    ...more,
  };
  return { options, searches, bugs };
}

type Event = Record<string, unknown> & {
  readonly choices?: readonly {
    readonly delta: {
      readonly content?: string | null;
      readonly tool_calls?: readonly { readonly function: { name: string; arguments: string } }[];
    };
  }[];
  readonly error?: Record<string, unknown>;
};

async function eventsOf(options: ChatOptions): Promise<Event[]> {
  const lines: string[] = [];
  for await (const line of chatEvents(options)) lines.push(line);
  expect(lines.at(-1)).toBe('data: [DONE]\n\n');
  return lines.slice(0, -1).map((line) => {
    expect(line).toMatch(/^data: .*\n\n$/);
    return JSON.parse(line.slice('data: '.length)) as Event;
  });
}

const said = (events: readonly Event[]): string =>
  events.map(({ choices }) => choices?.[0]?.delta.content ?? '').join('');
const reported = (events: readonly Event[]) =>
  events
    .flatMap(({ choices }) => choices?.[0]?.delta.tool_calls ?? [])
    .map(({ function: { name, arguments: given } }) => [name, JSON.parse(given)] as const);
const errorOf = (events: readonly Event[]) => events.at(-1)?.error;
const lastMessage = ({ asked }: MadeChatProvider) => asked.at(-1)?.body.messages.at(-1);

describe('an answer', () => {
  it('is passed on as it comes, cut anywhere', async () => {
    const made = await makeChatProvider({ events: saying('Las', 'sié', ' 🐕'), pieceBytes: 7 });
    const events = await eventsOf(chatWith(made).options);
    expect(said(events)).toBe('Lassié 🐕');
    expect(events.at(-1)?.choices).toEqual([{ index: 0, delta: {}, finish_reason: 'stop' }]);
  });

  it('comes piece by piece, not at its end', async () => {
    const made = await makeChatProvider({ events: saying('one').slice(0, 2), hangs: true });
    const leave = new AbortController();
    const { options } = chatWith(made, { signal: leave.signal });
    for await (const line of chatEvents(options)) {
      expect(line).toContain('one');
      break;
    }
    await until('the provider is left', () => made.left() === 1);
  });

  it('is requested with only the prompt, the indexes and the search tool', async () => {
    const made = await makeChatProvider({ events: saying('yes') });
    const body = { tools: REPORTS, temperature: 0.5, user: 'me', n: 1 };
    await eventsOf(chatWith(made, { body }).options);
    const { url, headers, body: sent } = made.asked[0] ?? {};
    expect(url).toBe('/v1/chat/completions');
    expect(headers?.authorization).toBe('Bearer sk-a-long-secret-key');
    expect(sent).toMatchObject({
      model: 'made',
      temperature: 0.5,
      user: 'me',
      stream: true,
      stream_options: { include_usage: true },
      tool_choice: 'auto',
    });
    expect(sent).not.toHaveProperty('n');
    expect(sent?.messages[0]).toMatchObject({ role: 'system' });
    expect(sent?.messages[0]?.['content']).toContain(
      '- films: Films of all times. (attributes for filters: year, genre (values such as "drama", "sci \\"fi\\""))',
    );
    expect(sent?.messages.slice(1)).toEqual([question]);
    expect(sent?.tools?.map((tool) => tool.function['name'])).toEqual(['_meiliSearchInIndex']);
  });

  it('tells tokens of all rounds when the client asks for them', async () => {
    const made = await makeChatProvider(
      {
        events: [
          ...searching({ index_uid: 'films', q: 'dog', filter: null }).slice(0, -1),
          usage(10, 2),
          '[DONE]',
        ],
      },
      { events: [...saying('Lassie').slice(0, -1), usage(30, 4), '[DONE]'] },
    );
    const metrics = new ChatMetrics();
    const { options } = chatWith(made, {
      metrics,
      body: { stream_options: { include_usage: true } },
    });
    const events = await eventsOf(options);
    expect(events.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 40, completion_tokens: 6, total_tokens: 46 },
    });
    const values = metrics.metrics().map(({ name, values }) => [name, values[0]]);
    expect(Object.fromEntries(values)).toMatchObject({
      meilisearch_chat_searches_total: { labels: { type: 'internal' }, value: 1 },
      meilisearch_chat_prompt_tokens_total: {
        labels: { workspace: 'shop', model: 'made' },
        value: 40,
      },
      meilisearch_chat_completion_tokens_total: { value: 6 },
      meilisearch_chat_tokens_total: { value: 46 },
    });
  });
});

describe('searches', () => {
  const asksTwice = searching(
    { index_uid: 'films', q: 'dog', filter: 'year > 1950' },
    { index_uid: 'films', q: null, filter: '' },
  );

  it('are made when the model asks for several, and what they found goes back', async () => {
    const made = await makeChatProvider(
      { events: asksTwice, pieceBytes: 11 },
      { events: saying('Lassie') },
    );
    const { options, searches } = chatWith(made);
    const events = await eventsOf(options);
    expect(said(events)).toBe('Lassie');
    expect(reported(events)).toEqual([]);
    expect(searches).toEqual([
      { indexUid: 'films', q: 'dog', filter: 'year > 1950' },
      { indexUid: 'films', q: '', filter: null },
    ]);
    const [, user, asked, first, second] = made.asked[1]?.body.messages ?? [];
    expect(user).toEqual(question);
    expect(asked).toMatchObject({
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_0' }, { id: 'call_1' }],
    });
    expect(first).toEqual({ role: 'tool', tool_call_id: 'call_0', content: dogs.text });
    expect(second).toEqual({ role: 'tool', tool_call_id: 'call_1', content: dogs.text });
  });

  it('are reported to the tools that the client declares, each call by itself', async () => {
    const made = await makeChatProvider({ events: asksTwice }, { events: saying('Lassie') });
    const events = await eventsOf(chatWith(made, { body: { tools: REPORTS } }).options);
    const reports = reported(events);
    expect(reports.map(([name]) => name.replace('_meili', ''))).toEqual([
      'AppendConversationMessage',
      'SearchProgress',
      'SearchProgress',
      'SearchSources',
      'AppendConversationMessage',
      'SearchSources',
      'AppendConversationMessage',
    ]);
    expect(reports[1]?.[1]).toEqual({
      call_id: 'call_0',
      function_name: '_meiliSearchInIndex',
      function_parameters: JSON.stringify({ index_uid: 'films', q: 'dog', filter: 'year > 1950' }),
    });
    expect(reports[3]?.[1]).toEqual({ call_id: 'call_0', documents: dogs.documents });
    expect(reports[4]?.[1]).toEqual({
      role: 'tool',
      content: dogs.text,
      tool_calls: null,
      tool_call_id: 'call_0',
    });
    const indexes = events
      .flatMap(({ choices }) => choices?.[0]?.delta.tool_calls ?? [])
      .map((call) => (call as unknown as { index: number }).index);
    expect(indexes).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it.each([
    [
      'an index that is not there',
      searching({ index_uid: 'x' }),
      'The search failed: there is no index',
    ],
    ['arguments that are no JSON', calling(['_meiliSearchInIndex', '{"q": ']), 'no JSON object'],
    ['another tool', calling(['drop_tables', '{}']), 'There is no tool `drop_tables`'],
    ['no index', searching({ q: 'a' }), '`index_uid` must be'],
    ['a number', searching({ index_uid: 'films', q: 5 }), '`q` must be'],
  ])(
    'that ask for %s are refused to the model, and the chat goes on',
    async (_, events, message) => {
      const made = await makeChatProvider({ events }, { events: saying('Sorry') });
      const search = async () => {
        throw new ApiError('index_not_found', 'there is no index `x`');
      };
      expect(said(await eventsOf(chatWith(made, { search }).options))).toBe('Sorry');
      expect(lastMessage(made)?.['content']).toContain(message);
    },
  );

  it('end after the last round, in which the model can only answer', async () => {
    const made = await makeChatProvider({ events: searching({ index_uid: 'films', q: 'a' }) });
    const body = { tool_choice: 'required' };
    const events = await eventsOf(chatWith(made, { body, limits: { roundsMax: 4 } }).options);
    expect(errorOf(events)).toMatchObject({ code: 'too_many_rounds' });
    expect(made.asked.map((one) => one.body['tool_choice'])).toEqual([
      'required',
      'auto',
      'auto',
      'none',
    ]);
  });

  it('of one round are bounded, and so is the conversation', async () => {
    const many = searching(...Array.from({ length: 5 }, () => ({ index_uid: 'films' })));
    const made = await makeChatProvider({ events: many });
    const tooMany = await eventsOf(chatWith(made, { limits: { callsMax: 4 } }).options);
    expect(errorOf(tooMany)).toMatchObject({ code: 'too_many_searches' });
    made.close();
    const again = await makeChatProvider({ events: many });
    const search = async () => ({ text: 'x'.repeat(5000), documents: [] });
    const tooLong = await eventsOf(
      chatWith(again, { search, limits: { conversationCharsMax: 9000 } }).options,
    );
    expect(errorOf(tooLong)).toMatchObject({ code: 'conversation_too_long' });
  });

  it('that fail for a bug end the chat with an error that tells nothing of it', async () => {
    const made = await makeChatProvider({ events: searching({ index_uid: 'films' }) });
    const search = async () => {
      throw new TypeError('secret detail');
    };
    const { options, bugs } = chatWith(made, { search });
    const events = await eventsOf(options);
    expect(errorOf(events)).toMatchObject({ code: 'internal' });
    expect(JSON.stringify(events)).not.toContain('secret detail');
    expect(bugs).toHaveLength(1);
  });
});

describe('a provider', () => {
  const refusing = (status: number, error: object) =>
    makeChatProvider({ status, body: JSON.stringify(error) });

  it.each([
    [
      401,
      { error: { message: 'No: sk-a-long-secret-key', type: 'auth', code: 'bad_key' } },
      { type: 'auth', code: 'bad_key', message: 'No: sk-XXXXX...' },
    ],
    [
      429,
      { object: 'error', message: 'slow down', type: 'limit', code: 42 },
      { type: 'limit', code: '42', message: 'slow down' },
    ],
    [
      422,
      { detail: [{ msg: 'extra' }] },
      { type: 'provider_error', code: '422', message: 'The provider refused: [{"msg":"extra"}]' },
    ],
    [
      500,
      [],
      { type: 'provider_error', code: '500', message: 'The provider answered with status 500: []' },
    ],
  ])('that answers %i is an error event in the stream', async (status, body, error) => {
    const events = await eventsOf(chatWith(await refusing(status, body)).options);
    expect(events).toEqual([
      { event_id: '1', type: 'error', error: { param: null, ...error, event_id: '1' } },
    ]);
  });

  it.each([
    [
      'breaks within its answer',
      { events: saying('Las').slice(0, 2), breaks: true },
      'unreachable',
    ],
    ['ends within its answer', { events: saying('Las').slice(0, 2) }, 'answer_cut_off'],
    ['falls silent', { events: saying('Las').slice(0, 2), hangs: true }, 'timeout'],
    ['sends what is no JSON', { events: ['Las'] }, 'invalid_chunk'],
    ['sends too much', { body: 'data: '.padEnd(9000, 'x') }, 'tooLarge'],
    ['sends an error', { events: [{ error: { message: 'no', code: 'filter' } }] }, 'filter'],
  ] as const)('that %s is an error event after the received text', async (_, round, code) => {
    const made = await makeChatProvider(round);
    const limits = { stallMs: 50, eventCharsMax: 4000 };
    const events = await eventsOf(chatWith(made, { limits }).options);
    expect(errorOf(events)).toMatchObject({ code });
    expect(events.at(-1)).toMatchObject({ type: 'error' });
    expect(JSON.stringify(events)).not.toContain('127.0.0.1');
    if (round === undefined || 'events' in round) expect('Las').toContain(said(events));
  });

  it('at an address that is not allowed is not asked', async () => {
    const made = await makeChatProvider({ events: saying('x') });
    const closed = new OutgoingHttp(new AddressPolicy([]));
    const events = await eventsOf(chatWith(made, { open: closed.open }).options);
    closed.close();
    expect(errorOf(events)).toMatchObject({ type: 'provider_error', code: 'refused' });
    expect(JSON.stringify(events)).not.toContain('127.0.0.1');
    expect(made.asked).toEqual([]);
  });

  it('is left when the client leaves, while it is silent', async () => {
    const made = await makeChatProvider({ hangs: true });
    const leave = new AbortController();
    const { options } = chatWith(made, { signal: leave.signal });
    const events = chatEvents(options);
    const first = events.next();
    await until('the provider is asked', () => made.asked.length === 1);
    leave.abort();
    expect(await first).toEqual({ done: true, value: undefined });
    await until('the provider is left', () => made.left() === 1);
  });

  it('is read no faster than the client takes what it says', async () => {
    const parts = Array.from({ length: 100 }, () => 'x'.repeat(100_000));
    const made = await makeChatProvider({ events: saying(...parts) });
    let bytes = 0;
    async function* counted(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of body) {
        bytes += chunk.length;
        yield chunk;
      }
    }
    const open: ChatOptions['open'] = async (request) => {
      const answer = await http.open(request);
      return { ...answer, body: counted(answer.body) };
    };
    const { options } = chatWith(made, { open, limits: { turnCharsMax: 20_000_000 } });
    const events = chatEvents(options);
    await events.next();
    const other = await makeChatProvider({ events: saying('meanwhile') });
    await eventsOf(chatWith(other).options);
    expect(bytes).toBeLessThan(1_000_000);
    let chars = 0;
    for await (const line of events) chars += line.length;
    expect(chars).toBeGreaterThan(9_000_000);
    expect(bytes).toBeGreaterThan(9_000_000);
    made.close();
  });
});
