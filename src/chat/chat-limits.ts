/** Limits of chats. */

export interface ChatLimits {
  /** Requests to the provider; the last one offers no search tool. */
  readonly roundsMax: number;
  readonly callsMax: number;
  /** Characters of the messages of a request, as JSON. */
  readonly requestCharsMax: number;
  /** Characters of all messages, including search results, as JSON. */
  readonly conversationCharsMax: number;
  /** Characters of one event of a provider. */
  readonly eventCharsMax: number;
  /** Characters that a model writes in one round, including arguments of searches. */
  readonly turnCharsMax: number;
  /** Bytes of a provider's response in one round. */
  readonly answerBytesMax: number;
  /** Milliseconds from a request to the end of the provider's response. */
  readonly roundMs: number;
  /** Milliseconds without a byte from the provider. */
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
