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
   * Resolves while an append may be sent, with until when the store may begin it, in epoch
   * milliseconds of its own clock; undefined if that is not known. @throws LogIsClosed, or an error
   * while it is not known whether the log is open
   */
  pass(): Promise<number | undefined>;
};

/** Whether the log is closed, and the store's time at its answer. */
type LogState = { closed: boolean; storeMs: number | undefined };

/** How old the answer that the log is open may be when an append is sent. */
export const openForMs = 2_000;
/**
 * How long after such an answer, by the store's clock of whole seconds, the store may begin an
 * append. A later one is refused, wherever it was delayed.
 */
export const beginsWithinMs = 5_000;
const readAgainAfterMs = openForMs / 2;
const readClosedAfterMs = 250;

/**
 * Lets appends pass while the log is open. A store that knows nothing of this can't refuse them, so
 * each process reads again and again whether it is: one small read a second, while it appends.
 */
export function createLogGate(
  readState: () => Promise<LogState>,
  {
    now = () => performance.now(),
    onChange = () => undefined,
  }: { now?: () => number; onChange?: (closed: boolean) => void } = {},
): LogGate {
  let openAt = Number.NEGATIVE_INFINITY;
  let readAt = Number.NEGATIVE_INFINITY;
  let beginUntilMs: number | undefined;
  let closed = false;
  let reading: Promise<void> | undefined;

  const read = async () => {
    const startedAt = now();
    readAt = startedAt;
    const before = closed;
    const state = await readState();
    closed = state.closed;
    if (closed !== before) onChange(closed);
    openAt = closed ? Number.NEGATIVE_INFINITY : startedAt;
    beginUntilMs = state.storeMs === undefined ? undefined : state.storeMs + beginsWithinMs;
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
      if (now() - openAt < openForMs) {
        checkLater(readAgainAfterMs);
        return beginUntilMs;
      }
      await check();
      if (closed) throw new LogIsClosed();
      if (now() - openAt >= openForMs)
        throw new StoreUnavailable('the event store answers too slowly to append to it');
      return beginUntilMs;
    },
  };
}
