/** Why a chat ends early, as its client reads it in the stream. */

/** In the words of the provider where they come from it. */
export interface ChatFault {
  readonly type: string;
  readonly code: string | null;
  readonly message: string;
  readonly param: string | null;
}

export class ChatError extends Error {
  override readonly name = 'ChatError';
  readonly fault: ChatFault;
  constructor(fault: ChatFault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** An end that this server decides on. */
export const chatEnd = (code: string, message: string): ChatError =>
  new ChatError({ type: 'chat_error', code, message, param: null });

/** An end for which the provider, or the way to it, is the reason. */
export const providerEnd = (code: string, message: string): ChatError =>
  new ChatError({ type: 'provider_error', code, message, param: null });
