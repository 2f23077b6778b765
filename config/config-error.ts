/** A configuration error that prevents the start; the message is one line for the user. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
