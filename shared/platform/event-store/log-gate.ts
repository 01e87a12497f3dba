import { isClosedBy } from '#shared/domain/log/events.ts';
import { StoreUnavailable } from './store-unavailable.ts';

/** The log is being moved to another store: nothing was appended. */
export class LogIsClosed extends StoreUnavailable {
  constructor() {
    super('the log is closed, because it moves to another store');
  }
}

type LogGate = {
  /** Whether the log was closed when it was last read; reads it again from time to time. */
  isClosed(): boolean;
  /**
   * Resolves while an append may be sent. @throws LogIsClosed, or an error while that is not known
   */
  pass(): Promise<void>;
};

/** How old an answer may be that the log is open, when an append is sent. */
export const openForMs = 2_000;
const readAgainAfterMs = openForMs / 2;
const readClosedAfterMs = 250;

/**
 * Lets appends pass while the log is open. A store that knows nothing of this can't refuse them, so
 * each process reads again and again whether it is: one small read a second, while it appends.
 * `newest` reads the type of the newest event of the stream `log`.
 */
export function createLogGate(
  newest: () => Promise<string | undefined>,
  {
    now = () => performance.now(),
    onChange = () => undefined,
  }: { now?: () => number; onChange?: (closed: boolean) => void } = {},
): LogGate {
  let openAt = Number.NEGATIVE_INFINITY;
  let readAt = Number.NEGATIVE_INFINITY;
  let closed = false;
  let reading: Promise<void> | undefined;

  const read = async () => {
    const startedAt = now();
    readAt = startedAt;
    const before = closed;
    closed = isClosedBy(await newest());
    if (closed !== before) onChange(closed);
    openAt = closed ? Number.NEGATIVE_INFINITY : startedAt;
  };
  const check = () => (reading ??= read().finally(() => (reading = undefined)));
  const checkLater = (afterMs: number) => {
    if (now() - readAt > afterMs) check().catch(() => undefined);
  };

  return {
    isClosed: () => {
      if (closed) checkLater(readClosedAfterMs);
      return closed;
    },
    pass: async () => {
      if (now() - openAt < openForMs) return checkLater(readAgainAfterMs);
      await check();
      if (closed) throw new LogIsClosed();
      if (now() - openAt >= openForMs)
        throw new StoreUnavailable('the event store answers too slowly to append to it');
    },
  };
}
