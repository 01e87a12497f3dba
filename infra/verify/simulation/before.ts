/** The result before a deadline, else the result of `late`. */
export async function before<T, Late>(
  deadlineMs: number,
  answer: Promise<T>,
  late: () => Late,
): Promise<T | Late> {
  const { promise, resolve } = Promise.withResolvers<'late'>();
  // A timer that can be cleared: one that is aborted costs an exception each time.
  const timer = setTimeout(resolve, deadlineMs, 'late');
  try {
    const first = await Promise.race([answer.then((value) => ({ value })), promise]);
    return first === 'late' ? late() : first.value;
  } finally {
    clearTimeout(timer);
  }
}
