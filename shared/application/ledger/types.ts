import type { LedgerCommand, LedgerRefusal } from '#shared/domain/ledger/commands.ts';
import type { Entry } from '#shared/domain/ledger/events.ts';
import type { LoggedEvent } from '#shared/platform/event-store/types.ts';
import type { Origin } from '#shared/application/operations/origin.ts';

export type PostRequest = LedgerCommand & {
  shopId: string;
  currency: string;
  /**
   * The log position of the event that owes the entry: the entry, if it exists, stands after it, and is not looked for
   * before. Earlier is always safe and costs reading; later than the truth could post the entry a second time. For a
   * reserve, and for a release without `reserved`, it is the event that requested the reservation (or any before it); for
   * a capture or release the first event that could have led to the end of the reservation; for a credit the terminal
   * event; for suspense and its resolution the late one; for an adjustment its request.
   */
  owedSince: bigint;
  origin: Origin;
  /** How long the caller waits, 10 s when nothing is said. */
  deadlineMs?: number;
};

/** An entry and its place in its ledger. */
export type PostedEntry = { entry: Entry; revision: number };

export type PostResult =
  /** It stands in the log. `repeated`: it did before, and this is that first entry. */
  | ({ outcome: 'posted'; repeated: boolean } & PostedEntry)
  /** `balance`: what there was, where there was too little. */
  | { outcome: 'refused'; code: LedgerRefusal; balance?: string | undefined }
  /** Not known within the deadline, and possibly posted: ask again with the same command, decide nothing else. */
  | { outcome: 'undecided'; cause: unknown };

/** The shop's position in one currency, as the newest entries of its ledger say. */
export type LedgerPosition =
  | {
      outcome: 'consistent';
      /** Credit-natural, less what is reserved. */
      balance: string;
      reserved: string;
      /** What the shop owes the gateway: max(-(balance + reserved), 0) (R12.3). */
      currentMinus: string;
      /** Of the newest entry, -1 when there is none. */
      revision: number;
    }
  | { outcome: 'inconsistent'; stream: string; revision: number; violations: readonly string[] };

export type Ledgers = {
  /**
   * Posts an entry once, however often it is asked for, and answers within the deadline.
   * @throws (rejects) LedgerInconsistent, and on a command that contradicts its first entry or moves nothing sensible: bugs
   */
  post(request: PostRequest): Promise<PostResult>;
  /**
   * Whether the entry that a command asks for is known to stand; false where this process does not
   * know.
   */
  stands(command: LedgerCommand & Pick<PostRequest, 'shopId' | 'currency'>): boolean;
  /**
   * An event that this process has seen in the log. A ledger that it uses takes up the entries of
   * other processes, so that the next post need not meet a conflict to learn of them.
   */
  takeUp(event: LoggedEvent): void;
  /** Never older than any entry that was answered, by any process. @throws when the store can't answer in time */
  position(shopId: string, currency: string, options?: { deadlineMs?: number }): Promise<LedgerPosition>;
  /** For gauges: ledgers held in memory, and commands that wait. */
  load(): { owners: number; waiting: number };
  /** Takes nothing more, and lets what is under way end. */
  stop(): Promise<void>;
};
