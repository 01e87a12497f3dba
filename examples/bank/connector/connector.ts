import type { ProviderConnector } from '#shared/application/providers/connector.ts';
import { defaultClockSkewMs, everyMethod } from '#shared/application/providers/facts.ts';
import { createBankClient, unknown, type BankClientSettings } from './client.ts';
import { dayMs } from '#shared/domain/day.ts';
import { createListings } from './listings.ts';
import { readBankOptions } from './options.ts';
import { askPayment, createAccountReader, submitPayment } from './payments.ts';
import { askPayout, submitPayout } from './payouts.ts';
import { readBankStatement } from './statement.ts';
import { bankPaths } from './wire.ts';

export type BankSettings = BankClientSettings & {
  /** How long an order may take to arrive at the bank. */
  arrivalMs: number;
  /** How much the bank's clock and ours may differ. */
  clockSkewMs?: number | undefined;
  /** How long after the end the bank is polled for late and returned money; by default a day. */
  listenMs?: number;
  /** How old a listing of payments may be: many payers wait at once, and each one is polled. */
  freshMs?: number;
  now?: () => number;
};

/**
 * Connects to a bank (docs/merchants/sandbox-bank.md) that is polled, has no idempotency keys, and
 * counts in minor units.
 */
export function createBankConnector({
  arrivalMs,
  clockSkewMs = defaultClockSkewMs,
  listenMs = dayMs,
  freshMs = 1_000,
  now = Date.now,
  ...settings
}: BankSettings): {
  connector: ProviderConnector;
  close(): Promise<void>;
} {
  const client = createBankClient(settings);
  const listings = createListings(client, { clockSkewMs, now });
  const bank = { client, listings, arrivalMs, clockSkewMs, listenMs, now };
  const payments = { ...bank, freshMs, accountOf: createAccountReader(bank) };

  const connector: ProviderConnector = {
    name: 'bank',
    carries: everyMethod.filter(({ currency }) => currency === 'RUB'),
    submissions: { repeatable: false, mayArriveForMs: arrivalMs, clockSkewMs },
    returns: true,
    reports: { by: 'polling', rhythm: { firstAfterMs: 2_000, everyMs: 2_000, longestMs: 4_000 } },

    async submit(submission, bounds) {
      if (submission.route.conversion) return { outcome: 'refused', reason: 'no_conversion' };
      if (!readBankOptions(submission.route))
        return { outcome: 'refused', reason: 'options_invalid' };
      return submission.type === 'payment'
        ? submitPayment(payments, submission, bounds)
        : submitPayout(bank, submission, bounds);
    },

    ask: (attempt, bounds) =>
      attempt.type === 'payment'
        ? askPayment(payments, attempt, bounds)
        : askPayout(bank, attempt, bounds),

    async check(bounds) {
      const answer = await client.opens(bankPaths.account(client.account), bounds);
      if (!answer.ok) return unknown(answer);
      return { outcome: answer.opens ? 'ok' : 'refused' };
    },

    async statement({ currency, day, page = '1' }, bounds) {
      if (currency !== 'RUB') return { outcome: 'unavailable', cause: 'the account is in RUB' };
      const query = { account: client.account, day, page: Number(page) };
      const answer = await client.get(bankPaths.statement(query), bounds);
      if (!answer.ok) return { outcome: 'unavailable', cause: answer.cause };
      const read = readBankStatement(answer.records, query);
      return typeof read === 'string' ? { outcome: 'unavailable', cause: read } : read;
    },
  };

  return { connector, close: () => client.close() };
}
