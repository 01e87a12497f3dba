import { fromMinor, toMinor } from '#shared/domain/ledger/minor.ts';
import { destinationKind } from '#shared/domain/methods/index.ts';
import type { Requisites } from '#shared/domain/operation/events.ts';
import type { ProviderReport } from '#shared/domain/operation/reports/report.ts';
import type { AttemptKnown, Submission } from '#shared/application/providers/connector.ts';
import type { TransferWithReturns } from './find.ts';
import { toTransferPurpose } from './reference.ts';
import type { BankAccount, BankOrder, BankTransfer } from './wire.ts';

const maxNameLength = 256;

/** An order for a payout; undefined if it has no destination. */
export function toBankOrder(submission: Submission, account: string): BankOrder | undefined {
  const { destination, amount } = submission.request;
  if (!destination) return undefined;
  return {
    account,
    amount: String(toMinor(amount)),
    currency: 'RUB',
    to: destination.number.replaceAll(/[ -]/g, ''),
    ...(destination.bankname !== undefined && { to_bank: destination.bankname }),
    ...(destination.name !== undefined && { to_name: cleanName(destination.name) }),
    purpose: toTransferPurpose(submission),
  };
}

const cleanName = (name: string) =>
  name.replaceAll('\0', ' ').slice(0, maxNameLength).toWellFormed();

/** Where a payer pays to, with what the payer has to write into the purpose of the transfer. */
export function toRequisites(account: BankAccount, method: string, reference: string): Requisites {
  const card = destinationKind(method) === 'card';
  return {
    number: card ? account.card : account.phone,
    name: account.holder,
    bankname: account.bank,
    bankname_details: account.bank_name,
    transfer_purpose: reference,
  };
}

/** The state of a transfer, and of its payout: a later state has a higher version. */
const statusByState = {
  pending: { status: 'open', version: 1 },
  booked: { status: 'completed', version: 2 },
  rejected: { status: 'declined', version: 2 },
} as const satisfies Record<BankTransfer['state'], Pick<ProviderReport, 'status' | 'version'>>;

/** `mayReturn`: the bank is polled further, because money may still be returned. */
export function payoutKnown(
  current: TransferWithReturns,
  { attempt, mayReturn }: { attempt: number; mayReturn: boolean },
): AttemptKnown {
  const { transfer } = current;
  return {
    answer: { outcome: 'accepted', providerReference: transfer.transfer },
    report: {
      attempt,
      ...statusByState[transfer.state],
      ...listReportedMoney([current]),
      version: computeReportVersion([current]),
      ...(mayReturn && { mayReturn }),
      evidence: 'legs',
    },
  };
}

/**
 * The version of a report of several transfers: it grows with each new transfer and with each
 * change of one.
 */
export const computeReportVersion = (transfers: readonly TransferWithReturns[]): number =>
  transfers.reduce(
    (sum, { transfer, returns }) => sum + statusByState[transfer.state].version + returns.length,
    0,
  );

/** The money that has moved, and its returns. */
export function listReportedMoney(
  transfers: readonly TransferWithReturns[],
): Pick<ProviderReport, 'legs' | 'returns'> {
  const returns = transfers
    .flatMap(({ transfer, returns: own }) =>
      own.flatMap((each) => movedBy(each, { of_leg_id: transfer.transfer })),
    )
    .toSorted(byTime);
  return {
    legs: transfers.flatMap(({ transfer }) => movedBy(transfer, { file: false })).toSorted(byTime),
    ...(returns.length > 0 && { returns }),
  };
}

const byTime = (left: { completed_at: string }, right: { completed_at: string }) =>
  left.completed_at < right.completed_at ? -1 : 1;

/** What was rejected has not moved. */
function movedBy<More extends object>(
  { transfer, amount, state, booked }: BankTransfer,
  more: More,
) {
  if (state !== 'booked' || booked === undefined) return [];
  const completed_at = new Date(booked).toISOString();
  return [{ leg_id: transfer, amount: fromMinor(BigInt(amount)), completed_at, ...more }];
}
