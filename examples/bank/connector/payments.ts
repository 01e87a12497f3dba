import type { ProviderAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import type {
  AttemptRef,
  CallBounds,
  ProviderConnector,
  Submission,
} from '#shared/application/providers/connector.ts';
import { parseSingleRecord, unknown, type NoBankAnswer } from './client.ts';
import { findTransfers, readTransfer, type BankPort, type TransferWithReturns } from './find.ts';
import { readBankOptions } from './options.ts';
import { referenceIn, computeReference } from './reference.ts';
import { listReportedMoney, toRequisites, computeReportVersion } from './translate.ts';
import { bankAccountSchema, bankPaths, type BankAccount, type BankTransfer } from './wire.ts';

const readsAtOnce = 8;
const accountTtlMs = 60_000;

type ReadAccount = (
  bounds: CallBounds,
) => Promise<{ ok: true; account: BankAccount } | NoBankAnswer>;

/** The account, as it was at most a minute ago: payers do not wait for a slow bank. */
export function createAccountReader({ client, now }: BankPort): ReadAccount {
  let cached: { atMs: number; account: BankAccount } | undefined;
  return async (bounds) => {
    if (cached && now() - cached.atMs < accountTtlMs) return { ok: true, account: cached.account };
    const answer = await client.get(bankPaths.account(client.account), bounds);
    if (!answer.ok) return answer;
    const account = parseSingleRecord(bankAccountSchema, answer.records[0]);
    if (account?.account !== client.account) return client.refuse('not the account');
    cached = { atMs: now(), account };
    return { ok: true, account };
  };
}

type Payments = BankPort & { freshMs: number; accountOf: ReadAccount };

/**
 * Nothing is sent to the bank for a payment: payers get a reference to write, and the connector
 * searches for their transfers.
 */
export async function submitPayment(
  { accountOf }: Payments,
  submission: Submission,
  bounds: CallBounds,
): Promise<ProviderAnswer> {
  const read = await accountOf(bounds);
  if (!read.ok) return unknown(read);
  if (read.account.state !== 'open') return { outcome: 'refused', reason: 'account_closed' };
  const reference = computeReference(submission);
  return {
    outcome: 'accepted',
    providerReference: reference,
    requisites: toRequisites(read.account, submission.request.method, reference),
    expiresAt: new Date(computeWindowEnd(submission)).toISOString(),
  };
}

/** The money that came with its reference. */
export async function askPayment(
  bank: Payments,
  attempt: AttemptRef,
  bounds: CallBounds,
): ReturnType<ProviderConnector['ask']> {
  const { accountOf, freshMs, listenMs, now } = bank;
  const tooLate = now() > Date.parse(attempt.acceptUntil) || !readBankOptions(attempt.route);
  // The acceptance was never recorded, so no payer has ever seen its reference.
  if (attempt.providerReference === undefined && tooLate)
    return { outcome: 'never_submitted' } as const;
  const windowEndsMs = computeWindowEnd(attempt);
  const listenUntilMs = windowEndsMs + listenMs;
  const [listed, shown] = await Promise.all([
    findTransfers(bank, attempt, { ...bounds, untilMs: listenUntilMs, sinceMs: now() - freshMs }),
    accountOf(bounds),
  ]);
  const read = listed.ok
    ? await readCurrent(bank, { attempt, transfers: listed.transfers }, bounds)
    : listed;
  if (!read.ok) return unknown(read);
  // The payer who has the reference also has the requisites.
  if (!shown.ok && attempt.providerReference === undefined) return unknown(shown);
  const reference = computeReference(attempt);
  return {
    outcome: 'known',
    answer: {
      outcome: 'accepted',
      providerReference: reference,
      ...(shown.ok && { requisites: toRequisites(shown.account, attempt.route.method, reference) }),
      expiresAt: new Date(windowEndsMs).toISOString(),
    },
    report: {
      attempt: attempt.attempt,
      // The bank never ends it: its window does, and for a while after that the bank is polled for
      // late money.
      status: now() > (attempt.over ? listenUntilMs : windowEndsMs) ? 'withdrawn' : 'open',
      ...listReportedMoney(read.found),
      // After the end legs and returns are only added.
      ...(!attempt.over && { version: computeReportVersion(read.found) }),
      evidence: 'legs',
    },
  } as const;
}

/**
 * Reads the transfers one by one: a cached listing may have an old state of them, and a booked one
 * may be returned, also after the end.
 */
async function readCurrent(
  bank: BankPort,
  { attempt, transfers }: { attempt: AttemptRef; transfers: readonly BankTransfer[] },
  bounds: CallBounds,
): Promise<{ ok: true; found: TransferWithReturns[] } | NoBankAnswer> {
  const reference = computeReference(attempt);
  const isOurs = ({ direction, purpose }: BankTransfer) =>
    direction === 'in' && referenceIn(purpose) === reference;
  const isOver = ({ state }: BankTransfer) => state === 'rejected';
  const current: TransferWithReturns[] = transfers
    .filter(isOver)
    .map((transfer) => ({ transfer, returns: [] }));
  const open = transfers.filter((transfer) => !isOver(transfer));
  // A payment in a hundred parts must not cause a hundred calls at once.
  for (let from = 0; from < open.length; from += readsAtOnce) {
    const read = await Promise.all(
      open
        .slice(from, from + readsAtOnce)
        .map(({ transfer: id }) => readTransfer(bank, { id, isOurs }, bounds)),
    );
    for (const each of read) {
      if (!each.ok) return each;
      current.push(each);
    }
  }
  return { ok: true, found: current };
}

/** The end of the payment window, the same in every process. */
function computeWindowEnd({
  acceptUntil,
  route,
}: Pick<AttemptRef, 'acceptUntil' | 'route'>): number {
  return Date.parse(acceptUntil) + (readBankOptions(route)?.payable_s ?? 0) * 1000;
}
