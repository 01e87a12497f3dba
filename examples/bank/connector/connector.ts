import type { ProviderConnector } from '#shared/application/providers/connector.ts';
import { defaultClockSkewMs, everyMethod } from '#shared/application/providers/facts.ts';
import { createBankClient, unknown, type BankClientSettings } from './client.ts';
import { dayMs } from './find.ts';
import { createListings } from './listings.ts';
import { readOptions } from './options.ts';
import { askPayment, createAccountReader, submitPayment } from './payments.ts';
import { askPayout, submitPayout } from './payouts.ts';
import { readStatement } from './statement.ts';
import { bankPaths } from './wire.ts';

export type BankSettings = BankClientSettings & {
  /** For so long an order may be under way. */
  arrivalMs: number;
  /** By how much the clocks may differ. */
  clockSkewMs?: number | undefined;
  /**
   * For so long after its end a payment or payout is asked about: for what comes late, or goes
   * back. A day.
   */
  listenMs?: number;
  /** How old a listing may be that shows payments: many payers wait at once, each is polled. */
  freshMs?: number;
  now?: () => number;
};

/**
 * A bank (docs/merchants/sandbox-bank.md): it is asked, knows no keys and counts in minor units.
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
      if (!readOptions(submission.route)) return { outcome: 'refused', reason: 'options_invalid' };
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
      const answer = await client.ask(bankPaths.statement(query), bounds);
      if (!answer.ok) return { outcome: 'unavailable', cause: answer.cause };
      const read = readStatement(answer.records, query);
      return typeof read === 'string' ? { outcome: 'unavailable', cause: read } : read;
    },
  };

  return { connector, close: () => client.close() };
}
