import { z } from 'zod';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { startReceiver } from '#services/sandbox-provider/testing/receiver.ts';
import { startTestSandbox } from '#services/sandbox-provider/testing/start.ts';
import { attemptKey } from '../connector.ts';
import type { Submission, Harness, Simulator } from '../testing/conformance/harness.ts';
import { describeConnector } from '../testing/conformance/suite.ts';
import { createSandboxConnector } from './connector.ts';

const apiKey = 'sandbox-test-key-0001';
const callbackSecret = 'whsec_c2FuZGJveC10ZXN0LWNhbGxiYWNrLXNlY3JldA==';
const keyOf = ({ operationId, attempt }: Submission) => attemptKey(operationId, attempt);

const historySchema = z.object({
  submissions: z.array(z.object({ key: z.string(), acceptance: z.string() })),
  receipts: z.array(z.unknown()),
});

async function start(): Promise<Simulator> {
  const receiver = await startReceiver();
  const sandbox = await startTestSandbox({ callbackUrl: receiver.url });
  const control = (operationId: string) => `${sandbox.url}/control/operations/${operationId}`;
  const command = async ({ operationId }: Submission, name: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const url = `${control(operationId)}/${name}`;
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${name} answered ${answer.status}`);
  };
  const historyOf = async ({ operationId }: Submission) => {
    const answer = await fetch(control(operationId));
    if (answer.status === 404) return { submissions: [], receipts: [] };
    return historySchema.parse(await answer.json());
  };
  return {
    url: sandbox.url,
    stop: async () => {
      await sandbox.stop();
      await receiver.stop();
    },
    refused: (submission) => ({
      ...submission,
      route: { ...submission.route, options: { accept: 'decline' } },
    }),
    isSubmission: ({ method, path }) => method === 'PUT' && /^\/v1\/attempts\/[^/]+$/.test(path),
    orders: async (submission) => {
      const { submissions } = await historyOf(submission);
      return submissions.filter(
        ({ key, acceptance }) => key === keyOf(submission) && acceptance === 'accepted',
      ).length;
    },
    pay: (submission, amount = submission.request.amount) => command(submission, 'leg', { amount }),
    giveBack: (submission, amount) =>
      command(submission, 'return', amount === undefined ? {} : { amount }),
    parts: ['payment', 'payout'],
    decline: (submission) => command(submission, 'settle', { result: 'declined' }),
    declines: ['payment', 'payout'],
    callbacks: (submission) =>
      receiver
        .of(submission.operationId)
        .filter(({ snapshot }) => snapshot.attempt === submission.attempt),
    receipts: async (submission) => (await historyOf(submission)).receipts.length,
  };
}

const harness: Harness = {
  connect: (url, wrong) =>
    createSandboxConnector({ url, apiKey, callbackSecrets: [callbackSecret], logger, ...wrong }),
  wrongCredentials: { apiKey: 'sandbox-test-key-of-nobody' },
  start,
};
describeConnector(harness);
