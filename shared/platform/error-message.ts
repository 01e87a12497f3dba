/** The message of what was thrown, which may be no `Error`; of several at once all messages. */
export function errorMessage(error: unknown): string {
  // A connection that was refused on every address has no message of its own.
  if (error instanceof AggregateError) return error.errors.map(errorMessage).join(', ');
  return error instanceof Error ? error.message : String(error);
}
