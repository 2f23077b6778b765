/** Bounds of chats: what one may hold, take and ask for. */

export interface ChatLimits {
  /** Requests to the provider; in the last one it may not ask for a search. */
  readonly roundsMax: number;
  /** Searches that a model may ask for in one round. */
  readonly callsMax: number;
  /** Characters of the messages of a request, as JSON. */
  readonly requestCharsMax: number;
  /** Characters of all messages, with what searches have found, as JSON. */
  readonly conversationCharsMax: number;
  /** Characters of one event of a provider. */
  readonly eventCharsMax: number;
  /** Characters that a model writes in one round, arguments of searches included. */
  readonly turnCharsMax: number;
  /** Bytes of a provider's answer in one round. */
  readonly answerBytesMax: number;
  /** From a request to the end of the provider's answer. */
  readonly roundMs: number;
  /** Without a byte of the provider. */
  readonly stallMs: number;
}

export const CHAT_LIMITS: ChatLimits = {
  roundsMax: 20,
  callsMax: 16,
  requestCharsMax: 2 << 20,
  conversationCharsMax: 4 << 20,
  eventCharsMax: 1 << 20,
  turnCharsMax: 1 << 20,
  answerBytesMax: 32 << 20,
  roundMs: 600_000,
  stallMs: 120_000,
};
