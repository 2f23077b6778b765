/** A failed start for a reason that the user can fix; the message is one line without a stack. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}

/** One-line reason of a failed listen. */
export function toStartFailure(error: unknown, what: string, flag: string): StartFailure {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EADDRINUSE')
    return new StartFailure(`${what} is in use; choose another with \`${flag}\``, { cause: error });
  if (code === 'EACCES')
    return new StartFailure(`no permission to listen on ${what}; see \`${flag}\``, {
      cause: error,
    });
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartFailure(`${what} is not an address of this machine; see \`${flag}\``, {
      cause: error,
    });
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new StartFailure(`cannot listen on ${what}: ${reason}; see \`${flag}\``, {
    cause: error,
  });
}
