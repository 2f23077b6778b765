/** Checks of a completion request beyond its schema. Throws `ApiError`. */

import { ApiError } from '../core/errors.ts';
import { objectOf } from '../core/json.ts';
import type { ChatCompletionBody } from '../model/schemas/chat-schema.ts';
import type { ChatLimits } from './chat-limits.ts';
import { SEARCH_TOOL } from './search-tool.ts';

export function checkCompletion(
  body: ChatCompletionBody,
  { requestCharsMax }: Pick<ChatLimits, 'requestCharsMax'>,
): void {
  if (body.n !== undefined && body.n !== null && body.n !== 1)
    throw new ApiError(
      'unimplemented_multi_choice_chat_completions',
      `\`n\` is ${body.n}, expected 1: there is one answer to a request.`,
    );
  if (body.stream !== true)
    throw new ApiError(
      'unimplemented_non_streaming_chat_completions',
      '`stream` must be `true`: answers are only available as a stream of events.',
    );
  checkToolChoice(body['tool_choice']);
  const chars = JSON.stringify(body.messages).length;
  if (chars > requestCharsMax)
    throw new ApiError(
      'payload_too_large',
      `\`messages\` has ${chars} characters as JSON; at most ${requestCharsMax} are allowed.`,
    );
}

function checkToolChoice(choice: unknown): void {
  if (choice === undefined || choice === null) return;
  if (['none', 'auto', 'required'].includes(String(choice))) return;
  const named = objectOf(objectOf(choice)['function']);
  if (named['name'] === SEARCH_TOOL) return;
  throw new ApiError(
    'bad_request',
    `\`tool_choice\` is ${JSON.stringify(choice).slice(0, 100)}, expected \`none\`, \`auto\`, \`required\`, or \`{"type": "function", "function": {"name": "${SEARCH_TOOL}"}}\`.`,
  );
}
