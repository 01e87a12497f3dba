import { startTestSandbox } from '#services/sandbox-provider/testing/start.ts';
import { controlBank } from '#services/sandbox-provider/testing/bank-control.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import type { Given, Harness, Simulator } from '../testing/conformance/harness.ts';
import { describeConnector } from '../testing/conformance/suite.ts';
import { createBankConnector } from './connector.ts';
import { purposeOf, referenceOf } from './reference.ts';

const account = '40702810500000000001';
const key = 'bank-test-key-0001';

async function start(): Promise<Simulator> {
  const sandbox = await startTestSandbox();
  const bank = controlBank(sandbox.url);
  await bank.behave({ book_ms: null });
  const transfersOf = (given: Given) => bank.withPurpose(purposeOf(given));
  const decide = async (given: Given, state: 'booked' | 'rejected') => {
    const [transfer] = await transfersOf(given);
    if (!transfer) throw new Error('nothing was ordered');
    await bank.decide(transfer.transfer, state);
  };
  return {
    url: sandbox.config.BANK_URL,
    stop: () => sandbox.stop(),
    refused: (given) => ({ ...given, route: { ...given.route, options: { colour: 'red' } } }),
    isSubmission: ({ method }) => method === 'POST',
    orders: async (given) => (await transfersOf(given)).length,
    pay: async (given, amount = given.request.amount) => {
      if (given.type === 'payout') await decide(given, 'booked');
      else await bank.incoming({ amount, purpose: `за заказ ${referenceOf(given)}` });
    },
    giveBack: async (given, amount) => {
      const all = await bank.withPurpose(
        given.type === 'payout' ? purposeOf(given) : referenceOf(given),
      );
      const paid = all.findLast(({ returns }) => returns === undefined);
      await bank.decide(paid?.transfer ?? '', 'returned', amount);
    },
    parts: ['payment'],
    decline: (given) => decide(given, 'rejected'),
    declines: ['payout'],
    sentNothing: ['payment'],
  };
}

const harness: Harness = {
  connect: (url, wrong) => {
    const logger = createLogger('test', 'silent');
    return createBankConnector({
      url,
      account,
      key,
      arrivalMs: 1_000,
      // What a test has just changed is seen without a wait.
      freshMs: 0,
      logger,
      ...wrong,
    });
  },
  wrongCredentials: { key: 'bank-test-key-of-nobody' },
  start,
};
describeConnector(harness);
