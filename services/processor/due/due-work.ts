import type { LogItem } from '#shared/event-store/index.ts';
import type { Overdue } from '../metrics.ts';
import type { Timings } from './next-look.ts';

/** A stream that this process looks at; others leave it alone until the lease is over. */
export type Claim = {
  stream: string;
  token: string;
  heardAt: Date;
  revision: number;
  asks: number;
  tries: number;
  done: readonly string[];
};

/** When to look again, and what was learnt; nothing: the stream owes nothing more. */
export type Verdict = {
  revision: number;
  next?: {
    dueAt: Date;
    heardAt: Date;
    asks: number;
    tries: number;
    done: readonly string[];
    error?: string | undefined;
  };
};

/** How far the log was read: `to` is kept only where `from` still stands. */
export type ReadOn = {
  batch: readonly LogItem[];
  from: bigint | undefined;
  to: bigint;
  /** The log was read to its end, once since the feed began. */
  caughtUp: boolean;
  timings: Timings;
};

/** The feed, as whoever feeds has it. */
export type FeedSession = {
  /** @throws when it can't be told, and the session is lost */
  position(): Promise<bigint | undefined>;
  /** Rows, marks and position together. @throws when nothing was kept, and the session is lost */
  keep(read: ReadOn): Promise<void>;
  /** Aborted once somebody else may be feeding. */
  lost: AbortSignal;
};

/** The table of due work: which streams to look at, when, and who looks. Derived from the log. */
export type DueWork = {
  /**
   * Claims what is due, the longest overdue first. The lease ends unless it is renewed. Nothing is due while the log
   * is read for the first time: what it says further on spares looks at all that was done long ago.
   */
  claim(wanted: { limit: number; leaseMs: number }): Promise<Claim[]>;
  /** Puts the end of leases off. A row that somebody else writes at this moment is left for the next time. */
  renew(claims: readonly Claim[], leaseMs: number): Promise<void>;
  /** Gives a claim back. Where the log brought news meanwhile, they count, and only the lease ends. */
  release(claim: Claim, verdict: Verdict): Promise<void>;
  /** The streams that wait for a look that is due. */
  overdue(): Promise<Overdue>;
  /** Lets one process at a time feed; returns at once, with nothing done, where another one does. */
  whileFeeding(feed: (session: FeedSession) => Promise<void>): Promise<void>;
};
