import { backoffMs } from '#shared/platform/backoff.ts';
import type { LedgerCommand } from '#shared/domain/ledger/commands.ts';
import { keysOfCommand } from '#shared/domain/ledger/reference.ts';
import { decodeOperationEvent, isTerminalEventType } from '#shared/domain/operation/events.ts';
import { dueEntries, type DueEntry } from '#shared/domain/operation/due-steps/ledger-entries.ts';
import { currentReservation, type Operation } from '#shared/domain/operation/state.ts';
import { whySettled } from '#shared/domain/operation/due-steps/ledger-entry-why.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import type { Ledgers, PostRequest } from '#shared/application/ledger/types.ts';
import { errorMessage } from '#shared/platform/error-message.ts';

/** The entries that follow from an end; reservations are made by a payout's create. */
type EntryCommand = Extract<LedgerCommand, { kind: 'credit' | 'capture' | 'release' | 'suspense' }>;

/** A due entry, as a request to the ledger, with its key. */
export type EntryToPost = {
  key: string;
  request: EntryCommand & Pick<PostRequest, 'shopId' | 'currency' | 'dueSince' | 'origin'>;
};

const firstDeadlineMs = 5_000;
const longestDeadlineMs = 60_000;

/**
 * The due ledger entries of an operation's end, each with the event that makes it due; `actor`
 * posts them.
 */
export function ledgerEntries(
  operation: Operation,
  events: readonly StoredEvent[],
  actor: string,
): EntryToPost[] {
  const entries = dueEntries(operation);
  const end = events.findLast(({ type }) => isTerminalEventType(type));
  if (entries.length === 0) return [];
  if (!end) throw new Error('a terminal operation has no terminal event');
  const { shopId, operationId } = operation;
  const origin = {
    actor,
    correlationId: end.metadata.correlation_id,
    causationId: end.id,
    traceparent: end.metadata.traceparent,
  };
  return entries.map((entry) => {
    const command = { ...entry, operationId };
    const since = dueSince(operation, entry, { end, events });
    const why = whySettled(operation, entry, end.type);
    return {
      key: entryKey(command),
      request: { ...command, shopId, dueSince: since, why, origin },
    };
  });
}

/**
 * Whether this process knows, without a read, that all entries due for a terminal operation are
 * posted.
 */
export function areEntriesPosted(
  ledgers: Pick<Ledgers, 'isPosted'>,
  operation: Operation,
): boolean {
  const { shopId, operationId } = operation;
  return dueEntries(operation).every((entry) =>
    ledgers.isPosted({ ...entry, operationId, shopId }),
  );
}

/**
 * The log position before which the entry can't be. A reservation that was replaced by another one
 * is released while the operation is still open. Whether one without FundsReserved was made is
 * known only from its ledger.
 */
function dueSince(
  operation: Operation,
  entry: DueEntry,
  { end, events }: { end: StoredEvent; events: readonly StoredEvent[] },
): bigint {
  if (entry.kind === 'credit') return end.position;
  const inForce = currentReservation(operation)?.reservation === entry.reservation;
  if (inForce && entry.reserved !== undefined) return end.position;
  const requested = events.find((event) => {
    const { type, data } = decodeOperationEvent(event);
    return type === 'ReservationRequested' && data.reservation === entry.reservation;
  });
  if (!requested) throw new Error(`no event requested reservation ${entry.reservation}`);
  return requested.position;
}

/** The key of the entry that this command posts. */
export function entryKey(command: EntryCommand): string {
  const [key] = keysOfCommand(command);
  if (key === undefined) throw new Error(`an entry without a key: ${command.kind}`);
  return key;
}

/**
 * `failed`: at least one may not be posted, and has to be retried; `undecided`: the ledger did not
 * answer in time, so it may only take longer.
 */
type PostOutcome = { outcome: 'done' } | { outcome: 'failed'; reason: string; undecided: boolean };
type Failure = Omit<Extract<PostOutcome, { outcome: 'failed' }>, 'outcome'>;

/**
 * Posts entries, each once however often it is requested; `posted`: the keys of those that are
 * posted now. After failed `tries` it waits longer: to find an old entry, a busy ledger has to be
 * read far back.
 */
export async function postEntries(
  ledgers: Pick<Ledgers, 'post' | 'isPosted'>,
  entries: readonly EntryToPost[],
  tries = 0,
): Promise<{ posted: string[]; result: PostOutcome }> {
  const results = await Promise.all(
    entries.map(async ({ key, request }) => ({
      key,
      problem: await post(ledgers, { ...request, deadlineMs: deadlineAfter(tries) }),
    })),
  );
  const posted = results.filter(({ problem }) => problem === undefined).map(({ key }) => key);
  const problems = results.flatMap(({ problem }) => problem ?? []);
  const problem = problems.find(({ undecided }) => undecided) ?? problems[0];
  return { posted, result: problem ? { outcome: 'failed', ...problem } : { outcome: 'done' } };
}

const deadlineAfter = (tries: number) =>
  backoffMs(tries, { firstMs: firstDeadlineMs, longestMs: longestDeadlineMs });

/** Undefined when the entry is posted, else why it is not. */
async function post(
  ledgers: Pick<Ledgers, 'post' | 'isPosted'>,
  request: EntryToPost['request'] & { deadlineMs: number },
): Promise<Failure | undefined> {
  const failed = (reason: string, undecided = false) => ({ reason, undecided });
  try {
    if (ledgers.isPosted(request)) return undefined;
    const result = await ledgers.post(request);
    if (result.outcome === 'posted') return undefined;
    if (result.outcome === 'refused')
      return failed(`the ledger refused the ${request.kind}: ${result.code}`);
    return failed(`the ledger did not decide: ${errorMessage(result.cause)}`, true);
  } catch (error) {
    // An inconsistent ledger stops this operation's entries, but not its withdrawals.
    return failed(`the ${request.kind} can't be posted: ${errorMessage(error)}`);
  }
}
