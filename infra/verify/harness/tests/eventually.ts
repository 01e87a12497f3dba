import { waitUntil } from '#infra/process/wait-until.ts';

/** The suite's limit of a test and of a hook. It ends what hangs, and is no measure of speed. */
export const testLimitMs = 600_000;

/**
 * Ends a wait before the test's own limit does, so that the failure says what it waited for; a
 * person who watches learns it sooner.
 */
export const waitLimitMs = process.env['CI'] ? 540_000 : 300_000;

/**
 * Polls until the check is true: within milliseconds, and on a slow machine within minutes.
 * @throws after `waitLimitMs`, also if a check hangs
 */
export async function eventually(
  what: string,
  check: () => Promise<boolean> | boolean,
  { intervalMs = 20, signal }: { intervalMs?: number; signal?: AbortSignal } = {},
): Promise<void> {
  const late = new AbortController();
  const hangs = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new Error(`${what}: not within ${waitLimitMs / 1000} s`);
    late.abort(error);
    hangs.reject(error);
  }, waitLimitMs);
  const either = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
  try {
    await Promise.race([waitUntil(what, check, { intervalMs, signal: either }), hangs.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The first answer that is not 503, which a client repeats. */
export async function untilAnswered<Answer extends { status: number }>(
  send: () => Promise<Answer>,
): Promise<Answer> {
  let answer = await send();
  while (answer.status === 503) answer = await send();
  return answer;
}
