import type { ProviderAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import type {
  AttemptRef,
  CallBounds,
  ProviderConnector,
  Submission,
} from '#shared/application/providers/connector.ts';
import { parseSingleRecord, unknown } from './client.ts';
import { findTransfers, readTransfer, type BankPort } from './find.ts';
import { toTransferPurpose } from './reference.ts';
import { toBankOrder, payoutKnown } from './translate.ts';
import { bankOrderedSchema, type BankTransfer } from './wire.ts';

/**
 * Each call orders another transfer, so without an answer the transfer is searched for, and never
 * ordered again.
 */
export async function submitPayout(
  { client }: BankPort,
  submission: Submission,
  bounds: CallBounds,
): Promise<ProviderAnswer> {
  const order = toBankOrder(submission, client.account);
  if (!order) return { outcome: 'refused', reason: 'no_destination' };
  const answer = await client.order(order, bounds);
  if (!answer.ok) return unknown(answer);
  const ordered = parseSingleRecord(bankOrderedSchema, answer.records[0]);
  if (ordered?.result === 'rejected') return { outcome: 'refused', reason: ordered.code };
  if (ordered?.purpose !== order.purpose)
    return unknown(client.refuse('not an answer to the order'));
  return { outcome: 'accepted', providerReference: ordered.transfer };
}

/**
 * Reads a payout by the bank's id, or searches for our reference on the days on which it can have
 * arrived.
 */
export async function askPayout(
  bank: BankPort,
  attempt: AttemptRef,
  bounds: CallBounds,
): ReturnType<ProviderConnector['ask']> {
  const { client, arrivalMs, listenMs, now } = bank;
  let id = attempt.providerReference;
  if (id === undefined) {
    const untilMs = Date.parse(attempt.acceptUntil) + arrivalMs;
    const read = await findTransfers(bank, attempt, { ...bounds, untilMs, sinceMs: now() });
    if (!read.ok) return unknown(read);
    const [first, ...more] = read.transfers;
    if (!first) return { outcome: 'not_found' } as const;
    if (more.length > 0) client.refuse(`${more.length} more transfers than were ordered`);
    id = first.transfer;
  }
  const isOurs = ({ purpose }: BankTransfer) => purpose === toTransferPurpose(attempt);
  const read = await readTransfer(bank, { id, isOurs }, bounds);
  if (!read.ok) return unknown(read);
  const { booked } = read.transfer;
  const mayReturn =
    attempt.over === true && booked !== undefined && now() < Date.parse(booked) + listenMs;
  return {
    outcome: 'known',
    ...payoutKnown(read, { attempt: attempt.attempt, mayReturn }),
  } as const;
}
