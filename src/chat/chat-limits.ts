/** Limits of chats. */

export const CHAT_LIMITS = {
  /** Requests to the provider; the last one offers no search tool. */
  roundsMax: 20,
  callsMax: 16,
  /** Characters of the messages of a request, as JSON. */
  requestCharsMax: 2 << 20,
  /** Characters of all messages, including search results, as JSON. */
  conversationCharsMax: 4 << 20,
  /** Characters of one event of a provider. */
  eventCharsMax: 1 << 20,
  /** Characters that a model writes in one round, including arguments of searches. */
  turnCharsMax: 1 << 20,
  /** Bytes of a provider's response in one round. */
  answerBytesMax: 32 << 20,
  /** Milliseconds from a request to the end of the provider's response. */
  roundMs: 600_000,
  /** Milliseconds without a byte from the provider. */
  stallMs: 120_000,
};

export type ChatLimits = Readonly<typeof CHAT_LIMITS>;
