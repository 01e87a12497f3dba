import type { AttemptRef, CallBounds } from '#shared/application/providers/connector.ts';
import { dayMs } from '#shared/domain/day.ts';
import { parseSingleRecord, type BankClient, type NoBankAnswer } from './client.ts';
import type { Listings } from './listings.ts';
import { toTransferPurpose, computeReference } from './reference.ts';
import { bankPaths, bankTransferSchema, type BankTransfer } from './wire.ts';

/** The connector's dependencies and settings. */
export type BankPort = {
  client: BankClient;
  listings: Listings;
  /** How long an order may take to arrive at the bank. */
  arrivalMs: number;
  /** How much the bank's clock and ours may differ. */
  clockSkewMs: number;
  /** How long after the end the bank is polled for late and returned money. */
  listenMs: number;
  now(): number;
};

/** The longest acceptance wait: nothing was sent earlier than this before `acceptUntil`. */
const longestWaitMs = dayMs;

const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** The days (UTC) from one time to another. */
function daysBetween(fromMs: number, untilMs: number): string[] {
  const days: string[] = [];
  for (let ms = fromMs; isoDay(ms) <= isoDay(untilMs); ms += dayMs) days.push(isoDay(ms));
  return days;
}

/**
 * An attempt's transfers on all days on which they can have arrived, from listings that were read
 * at `sinceMs` or later.
 */
export async function findTransfers(
  { listings, clockSkewMs, now }: BankPort,
  attempt: AttemptRef,
  { untilMs, sinceMs, ...bounds }: CallBounds & { untilMs: number; sinceMs: number },
): Promise<{ ok: true; transfers: BankTransfer[] } | NoBankAnswer> {
  const days = daysBetween(
    Date.parse(attempt.acceptUntil) - longestWaitMs,
    Math.min(now(), untilMs) + clockSkewMs,
  );
  const read = await Promise.all(days.map((day) => listings.of(day, { ...bounds, sinceMs })));
  const transfers: BankTransfer[] = [];
  for (const each of read) {
    if (!each.ok) return each;
    const { incoming, outgoing } = each.listing;
    transfers.push(
      ...(attempt.type === 'payment'
        ? incoming(computeReference(attempt))
        : outgoing(toTransferPurpose(attempt))),
    );
  }
  return { ok: true, transfers };
}

/** A transfer in its current state, and those that returned its money. */
export type TransferWithReturns = { transfer: BankTransfer; returns: readonly BankTransfer[] };

/** Reads a transfer and its returns. `isOurs`: whether it is the attempt's transfer. */
export async function readTransfer(
  { client }: Pick<BankPort, 'client'>,
  { id, isOurs }: { id: string; isOurs: (transfer: BankTransfer) => boolean },
  bounds: CallBounds,
): Promise<({ ok: true } & TransferWithReturns) | NoBankAnswer> {
  const path = `${bankPaths.transfer(id)}?${new URLSearchParams({ account: client.account }).toString()}`;
  const answer = await client.get(path, bounds);
  if (!answer.ok) return answer;
  const [transfer, ...others] = answer.records.map((record) =>
    parseSingleRecord(bankTransferSchema, record),
  );
  if (transfer?.transfer !== id || !isOurs(transfer)) return client.refuse('not the transfer');
  const isBack = (each: BankTransfer | undefined): each is BankTransfer =>
    each?.returns === id && each.direction !== transfer.direction;
  if (!others.every(isBack)) return client.refuse('not the returned part of the transfer');
  return { ok: true, transfer, returns: others };
}
