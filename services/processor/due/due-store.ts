import type { DueRow } from './due-queue.ts';

/** What a leader keeps: how far it had read the log, and what was due then. */
export type KeptWork = { position: bigint | undefined; rows: DueRow[] };

/** A leader's connection to what it keeps. */
export type LeadSession = {
  /** @throws when it can't be told, and the lead is lost */
  load(): Promise<KeptWork>;
  /** Rows and position together, where the position is still `from`. @throws when nothing was kept: the lead is lost */
  keep(work: {
    from: bigint | undefined;
    to: bigint;
    changed: readonly DueRow[];
    gone: readonly string[];
  }): Promise<void>;
  /** Aborted once another process may be leading. */
  lost: AbortSignal;
};

/** Where due work is kept from one leader to the next. All of it can be made again from the log. */
export type DueStore = {
  /** Lets one process at a time lead; returns at once, with nothing done, where another one does. */
  whileLeading(lead: (session: LeadSession) => Promise<void>): Promise<void>;
};
