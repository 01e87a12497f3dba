/**
 * The result of the work, or undefined if it takes longer; the work then continues in the
 * background.
 */
export async function atMost<T>(timeoutMs: number, work: Promise<T>): Promise<T | undefined> {
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => timeout.resolve(undefined), timeoutMs);
  try {
    return await Promise.race([work, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
