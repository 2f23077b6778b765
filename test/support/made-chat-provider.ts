/**
 * A provider of chats on a real socket, made for tests: it streams what a script says, in pieces of
 * any size, and keeps what it was asked.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface MadeRound {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An event each; text as it is, all else as JSON. */
  readonly events?: readonly unknown[];
  /** Instead of events. */
  readonly body?: string;
  /** Bytes sent at once; absent = all of them. */
  readonly pieceBytes?: number;
  /** Closes the connection behind the events. */
  readonly breaks?: true;
  /** Says nothing more behind the events. */
  readonly hangs?: true;
}

export interface AskedRound {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: {
    readonly messages: readonly Record<string, unknown>[];
    readonly tools?: readonly { readonly function: Record<string, unknown> }[];
    readonly [name: string]: unknown;
  };
}

export interface MadeChatProvider {
  readonly url: string;
  /** In order. */
  readonly asked: readonly AskedRound[];
  /** Requests whose connection was closed before their answer was whole. */
  readonly left: () => number;
  close(): void;
}

const choice = (delta: object, finish_reason: string | null = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'made',
  choices: [{ index: 0, delta, finish_reason }],
});

export const saying = (...parts: readonly string[]): unknown[] => [
  choice({ role: 'assistant', content: '' }),
  ...parts.map((content) => choice({ content })),
  choice({}, 'stop'),
  '[DONE]',
];

/** Calls with their arguments in pieces of a few characters, as models send them. */
export const calling = (
  ...calls: readonly (readonly [name: string, text: string])[]
): unknown[] => [
  choice({ role: 'assistant', content: null }),
  ...calls.flatMap(([name, text], index) => [
    choice({
      tool_calls: [
        { index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } },
      ],
    }),
    ...(text.match(/[\s\S]{1,5}/g) ?? []).map((part) =>
      choice({ tool_calls: [{ index, function: { arguments: part } }] }),
    ),
  ]),
  choice({}, 'tool_calls'),
  '[DONE]',
];

export const searching = (...searches: readonly object[]): unknown[] =>
  calling(...searches.map((given) => ['_meiliSearchInIndex', JSON.stringify(given)] as const));

export const usage = (prompt_tokens: number, completion_tokens: number) => ({
  ...choice({}),
  choices: [],
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
});

/** @param rounds answers in turn; the last one repeats */
export async function makeChatProvider(
  ...rounds: readonly (MadeRound | ((asked: AskedRound) => MadeRound))[]
): Promise<MadeChatProvider> {
  const asked: AskedRound[] = [];
  let left = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const one = { url: request.url ?? '', headers: request.headers, body };
    asked.push(one);
    response.once('close', () => {
      if (!response.writableFinished) left += 1;
    });
    const round = rounds[Math.min(asked.length, rounds.length) - 1] ?? {};
    await respond(typeof round === 'function' ? round(one) : round, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    left: () => left,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const textOf = ({ events = [], body }: MadeRound): string =>
  body ??
  events
    .map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    .join('');

async function respond(round: MadeRound, response: ServerResponse): Promise<void> {
  const bytes = Buffer.from(textOf(round));
  const piece = round.pieceBytes ?? Math.max(1, bytes.length);
  response.writeHead(round.status ?? 200, {
    'content-type': 'text/event-stream',
    ...round.headers,
  });
  response.flushHeaders();
  for (let at = 0; at < bytes.length && !response.destroyed; at += piece) {
    response.write(bytes.subarray(at, at + piece));
    if (piece < bytes.length || round.breaks) await sleep(1);
  }
  if (round.breaks) response.destroy();
  else if (!round.hangs) response.end();
}
