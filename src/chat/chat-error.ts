/** The error that ends a chat, as sent in the stream. */

/** Errors of the provider keep its wording. */
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

export const chatEnd = (code: string, message: string): ChatError =>
  new ChatError({ type: 'chat_error', code, message, param: null });

export const providerEnd = (code: string, message: string): ChatError =>
  new ChatError({ type: 'provider_error', code, message, param: null });
