import { Gauge, Histogram } from 'prom-client';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import { inSpan } from '#shared/platform/tracing/tracing.ts';
import type { AttemptCall, AttemptRef, ProviderConnector } from './connector.ts';

type CallOutcome = { outcome: string; answer?: { outcome: string } };

type CallMetrics = ReturnType<typeof createCallMetrics>;

/** Wraps a connector so that its calls are counted and traced by provider, call and outcome. */
export function createProviderMetrics(
  registry: Metrics,
): (connector: ProviderConnector) => ProviderConnector {
  const metrics = createCallMetrics(registry);
  return (connector) => {
    const observed = observer(connector.name, metrics);
    metrics.begin(connector.name);
    const { submit, ask, withdraw, quote, submitReceipt, evidence, fetchReceiptFile } = connector;
    return {
      ...connector,
      submit: observed('submit', submit.bind(connector)),
      ask: observed('ask', ask.bind(connector)),
      ...(withdraw && { withdraw: observed('withdraw', withdraw.bind(connector)) }),
      ...(quote && { quote: observed('quote', quote.bind(connector)) }),
      ...(submitReceipt && {
        submitReceipt: observed('submitReceipt', submitReceipt.bind(connector)),
      }),
      ...(evidence && { evidence: observed('evidence', evidence.bind(connector)) }),
      ...(fetchReceiptFile && {
        fetchReceiptFile: observed('fetchReceiptFile', fetchReceiptFile.bind(connector)),
      }),
    };
  };
}

function createCallMetrics(registry: Metrics) {
  const registers = [registry];
  const duration = new Histogram({
    name: 'gateway_provider_call_duration_seconds',
    help: 'Duration of provider calls; unknown: the outcome of the call is not known. A later poll gets the outcome of an unknown submission',
    labelNames: ['provider', 'call', 'outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers,
  });
  const inFlight = new Map<string, number>();
  const gauge: Gauge = new Gauge({
    name: 'gateway_provider_calls_in_flight',
    help: 'Provider calls in progress',
    labelNames: ['provider'],
    registers,
    collect: () => {
      for (const [provider, count] of inFlight) gauge.set({ provider }, count);
    },
  });
  const count = (provider: string, change: number) =>
    inFlight.set(provider, (inFlight.get(provider) ?? 0) + change);
  return {
    duration,
    count,
    /** A provider that was not called yet shows zeros. */
    begin: (provider: string) => {
      count(provider, 0);
      for (const call of ['submit', 'ask'] as const)
        duration.zero({ provider, call, outcome: 'unknown' });
    },
  };
}

const observer =
  (provider: string, { duration, count }: CallMetrics) =>
  <Attempt extends AttemptRef, Rest extends unknown[], Answer extends CallOutcome>(
    call: AttemptCall,
    make: (attempt: Attempt, ...rest: Rest) => Promise<Answer>,
  ) =>
  (attempt: Attempt, ...rest: Rest): Promise<Answer> =>
    inSpan(
      () => ({
        name: `${provider} ${call}`,
        kind: 'client',
        attributes: {
          'gateway.provider': provider,
          'gateway.operation_id': attempt.operationId,
          'gateway.attempt': attempt.attempt,
        },
      }),
      async (span) => {
        const startedAt = performance.now();
        let outcome = 'error';
        count(provider, 1);
        try {
          const answer = await make(attempt, ...rest);
          outcome = attemptOutcome(answer);
          return answer;
        } finally {
          count(provider, -1);
          duration.observe({ provider, call, outcome }, (performance.now() - startedAt) / 1000);
          span?.set({ 'gateway.outcome': outcome });
        }
      },
    );

/** The outcome of an attempt, if the response is about one: `known` alone is no outcome. */
function attemptOutcome({ outcome, answer }: CallOutcome): string {
  return outcome === 'known' && answer ? answer.outcome : outcome;
}
