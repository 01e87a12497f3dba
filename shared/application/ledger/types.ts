import type { LedgerCommand, LedgerRefusal } from '#shared/domain/ledger/commands.ts';
import type { Entry } from '#shared/domain/ledger/events.ts';
import type { BookedOperations } from './booked-operations.ts';
import type { EventSigner } from '#shared/platform/event-store/signature.ts';
import type { LoggedEvent } from '#shared/platform/event-store/types.ts';
import type { Origin } from '#shared/application/commands/origin.ts';

export type PostRequest = LedgerCommand & {
  shopId: string;
  currency: string;
  /**
   * The log position of the event that makes the entry due. The entry, if it exists, comes after
   * it, and is not searched for before it. Earlier is always safe, but costs reading; a position
   * that is too late could post the entry twice. For a reserve, and for a release without
   * `reserved`, it is the event that requested the reservation (or any before it); for a capture or
   * release the first event that could have led to the end of the reservation; for a credit the
   * terminal event; for suspense and its resolution the late one; for an adjustment its request.
   */
  dueSince: bigint;
  origin: Origin;
  /** Of the service that requests it; by default the store's. */
  signer?: EventSigner;
  /** How long the caller waits, 10 s by default. */
  deadlineMs?: number;
};

/** An entry and its place in its ledger. */
export type PostedEntry = { entry: Entry; revision: number };

export type PostResult =
  /** It is in the log. `repeated`: it was before, and this is that first entry. */
  | ({ outcome: 'posted'; repeated: boolean } & PostedEntry)
  /** `balance`: the balance at that time, if it was too low. */
  | { outcome: 'refused'; code: LedgerRefusal; balance?: string | undefined }
  /**
   * Unknown within the deadline; the entry may be posted. The caller must repeat the same command,
   * and must not decide anything else.
   */
  | { outcome: 'undecided'; cause: unknown };

/** The shop's balances in one currency, from the newest entries of its ledger. */
export type LedgerPosition =
  | {
      outcome: 'consistent';
      /** Credit-natural, less what is reserved. */
      balance: string;
      reserved: string;
      /** What the shop owes the gateway: max(-(balance + reserved), 0) (R12.3). */
      currentMinus: string;
      /** The revision of the newest entry; -1 if there is none. */
      revision: number;
    }
  | { outcome: 'inconsistent'; stream: string; revision: number; violations: readonly string[] };

export type Ledgers = {
  /**
   * Posts an entry once, however often it is requested, and answers within the deadline.
   * @throws (rejects) LedgerInconsistent, and for a command that contradicts its first entry or is
   *   invalid: bugs
   */
  post(request: PostRequest): Promise<PostResult>;
  /**
   * Whether this process knows that the entry of a command is posted.
   */
  isPosted(command: LedgerCommand & Pick<PostRequest, 'shopId' | 'currency'>): boolean;
  /**
   * Whether a post of this command would be decided without a search: the ledger in memory goes
   * back to when it was due. Entries of other processes that it lacks would conflict.
   */
  isExplored(request: PostRequest): boolean;
  /**
   * Applies an event that this process has received from the log. A ledger in memory adds the
   * entries of other processes, so that the next post causes no conflict.
   */
  applyPosted(event: LoggedEvent): void;
  /**
   * At least as new as every entry that any process has confirmed. @throws when the store can't
   * answer in time
   */
  position(
    shopId: string,
    currency: string,
    options?: { deadlineMs?: number },
  ): Promise<LedgerPosition>;
  /** Shared by all services of a process, so that none checks again what another has posted. */
  readonly booked: BookedOperations;
  /** For gauges: ledgers in memory, and waiting commands. */
  load(): { owners: number; waiting: number };
  /** Refuses further commands, and finishes those in progress. */
  stop(): Promise<void>;
};
