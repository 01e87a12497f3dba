import { waitUntil } from '#infra/process/wait-until.ts';

/** The suite's limit of a test and of a hook. It ends what hangs, and is no measure of speed. */
export const testLimitMs = 600_000;

/**
 * Ends a wait before the test's own limit does, so that the failure says what it waited for; a
 * person who watches learns it sooner.
 */
export const waitLimitMs = process.env['CI'] ? 540_000 : 300_000;

type EventuallyOptions = Pick<
  NonNullable<Parameters<typeof waitUntil>[2]>,
  'intervalMs' | 'signal'
>;

/** Polls until the check is true: within milliseconds, and on a slow machine within minutes. */
export const eventually = (
  what: string,
  check: () => Promise<boolean> | boolean,
  options: EventuallyOptions = {},
): Promise<void> => waitUntil(what, check, { ...options, timeoutMs: waitLimitMs });
