/** A launch that cannot go on; the message is one readable line for the user. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
