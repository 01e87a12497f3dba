import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { methods } from '#shared/domain/methods/index.ts';
import type { OperationType } from '#shared/domain/operation-type.ts';
import { sum } from '#shared/domain/money.ts';
import { routeSchema } from '#shared/domain/routing.ts';
import type { Credentials } from '../../accounts/credentials.ts';
import type { AttemptKnown, ProviderConnector, Submission } from '../../connector.ts';
import type { Harness, Simulator } from './harness.ts';
import { startWire, type Wire } from './wire.ts';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

export type Subject = {
  /** The declarations of the connector, before anything is started. */
  readonly declared: ProviderConnector;
  /** The currency of all submissions. */
  readonly currency: string;
  /** The operation types that the connector carries in the currency. */
  readonly types: readonly OperationType[];
  readonly connector: ProviderConnector;
  readonly simulator: Simulator;
  readonly wire: Wire;
  /** A connector of another process, without memory. */
  another(): ProviderConnector;
  /** A connector whose credentials the provider refuses. */
  stranger(): ProviderConnector;
  submission(type: OperationType, change?: Partial<Submission>): Submission;
  /** An attempt that the provider accepted. */
  accepted(type: OperationType): Promise<Submission>;
  /** Polls the provider until its response about an attempt meets the condition. */
  pollUntil(
    submission: Submission,
    until: (current: AttemptKnown) => boolean,
  ): Promise<AttemptKnown>;
};

/** The timeout of calls that get a response: a busy machine may pause for seconds. */
export const bounds = { timeoutMs: 20_000 };
export const amount = '100.00';
const nowhere = 'http://127.0.0.1:9';

export const moneyIn = ({ report }: AttemptKnown): string =>
  sum(report.legs.map((leg) => leg.amount));

/** The submission's route, where it converts to another currency. */
export const convertingRoute = ({ request, route }: Submission): Submission['route'] => ({
  ...route,
  conversion: {
    settlement_currency: request.currency === 'USD' ? 'EUR' : 'USD',
    fx_source: 'conformance',
  },
});

export function useSubject(harness: Harness, currency: string): Subject {
  const absent = harness.connect(nowhere);
  const open: { close(): Promise<void> }[] = [absent];
  let simulator: Simulator;
  let wire: Wire;
  let connector: ProviderConnector;
  const connect = (wrong?: Credentials) => {
    const connected = harness.connect(wire.url, wrong);
    open.push(connected);
    return connected.connector;
  };
  beforeAll(async () => {
    simulator = await harness.start();
    wire = await startWire(simulator.url);
    connector = connect();
  });
  afterAll(async () => {
    await Promise.all(open.map((each) => each.close()));
    await wire.stop();
    await simulator.stop();
  });
  const declared = absent.connector;
  const carries = declared.carries.filter((each) => each.currency === currency);
  const newSubmission: Subject['submission'] = (type, change) =>
    submissionOf({ name: declared.name, carries }, type, change);
  return {
    declared,
    currency,
    types: (['payment', 'payout'] as const).filter((type) =>
      carries.some((each) => each.type === type),
    ),
    get connector() {
      return connector;
    },
    get simulator() {
      return simulator;
    },
    get wire() {
      return wire;
    },
    another: () => connect(),
    stranger: () => {
      if (!harness.wrongCredentials)
        throw new Error('a connector that checks needs credentials that are wrong');
      return connect(harness.wrongCredentials);
    },
    submission: newSubmission,
    accepted: async (type) => {
      const submission = newSubmission(type);
      expect(await connector.submit(submission, bounds)).toMatchObject({ outcome: 'accepted' });
      return submission;
    },
    pollUntil: (submission, until) =>
      vi.waitUntil(
        async () => {
          const current = await connector.ask(submission, bounds);
          return current.outcome === 'known' && until(current) && current;
        },
        { timeout: waitLimitMs, interval: 50 },
      ),
  };
}

function submissionOf(
  { name, carries }: Pick<ProviderConnector, 'name' | 'carries'>,
  type: OperationType,
  change: Partial<Submission> = {},
): Submission {
  const carried = carries.find((each) => each.type === type);
  if (!carried) throw new Error(`${name} carries no ${type}`);
  const { method, currency } = carried;
  const { destination } = methods[method].example;
  return {
    operationId: randomUUID(),
    attempt: 1,
    type,
    acceptUntil: new Date(Date.now() + 60_000).toISOString(),
    request: {
      client_id: 'client-1',
      method,
      amount,
      currency,
      ...(type === 'payout' && { destination: { ...destination } }),
    },
    route: routeSchema.parse({
      type,
      method,
      currency,
      provider: name,
      commission: { percent: '1' },
    }),
    ...change,
  };
}
