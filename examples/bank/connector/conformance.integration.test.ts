import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { startTestSandbox } from '#services/sandbox-provider/testing/start.ts';
import { controlBank } from '#examples/bank/simulator/testing/control.ts';
import type {
  Submission,
  Harness,
  Simulator,
} from '#shared/application/providers/testing/conformance/harness.ts';
import { describeConnector } from '#shared/application/providers/testing/conformance/suite.ts';
import { createBankConnector } from './connector.ts';
import { toTransferPurpose, computeReference } from './reference.ts';

const account = '40702810500000000001';
const key = 'bank-test-key-0001';

async function start(): Promise<Simulator> {
  const sandbox = await startTestSandbox();
  const bank = controlBank(sandbox.url);
  await bank.behave({ book_ms: null });
  const transfersOf = (submission: Submission) => bank.withPurpose(toTransferPurpose(submission));
  const decide = async (submission: Submission, state: 'booked' | 'rejected') => {
    const [transfer] = await transfersOf(submission);
    if (!transfer) throw new Error('nothing was ordered');
    await bank.decide(transfer.transfer, state);
  };
  return {
    url: sandbox.config.BANK_URL,
    stop: () => sandbox.stop(),
    refused: (submission) => ({
      ...submission,
      route: { ...submission.route, options: { colour: 'red' } },
    }),
    isSubmission: ({ method }) => method === 'POST',
    orders: async (submission) => (await transfersOf(submission)).length,
    pay: async (submission, amount = submission.request.amount) => {
      if (submission.type === 'payout') await decide(submission, 'booked');
      else await bank.incoming({ amount, purpose: `за заказ ${computeReference(submission)}` });
    },
    giveBack: async (submission, amount) => {
      const all = await bank.withPurpose(
        submission.type === 'payout' ? toTransferPurpose(submission) : computeReference(submission),
      );
      const paid = all.findLast(({ returns }) => returns === undefined);
      await bank.decide(paid?.transfer ?? '', 'returned', amount);
    },
    parts: ['payment'],
    decline: (submission) => decide(submission, 'rejected'),
    declines: ['payout'],
    sentNothing: ['payment'],
  };
}

const harness: Harness = {
  connect: (url, wrong) => {
    return createBankConnector({
      url,
      account,
      key,
      arrivalMs: 1_000,
      // Changes by a test are visible at once.
      freshMs: 0,
      logger,
      ...wrong,
    });
  },
  wrongCredentials: { key: 'bank-test-key-without-account' },
  start,
};
describeConnector(harness);
