import type { LogCheckpoint } from '#shared/platform/event-store/index.ts';
import type { DueRow } from './due-queue.ts';

/** The saved work of a leader: its position in the log, and the steps due after it. */
export type StoredDueWork = { checkpoint: LogCheckpoint | undefined; rows: DueRow[] };

/** The leader's connection to the saved work. */
export type LeadSession = {
  /** @throws when it can't be read; the lead is lost then */
  load(): Promise<StoredDueWork>;
  /**
   * Saves rows and checkpoint together, if its position is still `from`. @throws when nothing was
   * saved; `lost` shows whether the lead is lost too
   */
  save(work: {
    from: bigint | undefined;
    to: LogCheckpoint;
    changed: readonly DueRow[];
    removed: readonly string[];
  }): Promise<void>;
  /** Aborted as soon as another process may be leading. */
  lost: AbortSignal;
};

/** Saves due work for the next leader. All of it can be derived again from the log. */
export type DueStore = {
  /**
   * One process at a time leads; returns at once if another one does. @throws when it does not
   * answer, and what `lead` throws
   */
  whileLeading(lead: (session: LeadSession) => Promise<void>): Promise<void>;
};
