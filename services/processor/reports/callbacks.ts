import type { Hono } from 'hono';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { AppEnv } from '#shared/platform/http/app.ts';
import { readBytes } from '#shared/platform/http/body.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { Sealing } from '#shared/application/personal-data/personal-data.ts';
import type { Providers } from '#shared/application/providers/connector.ts';
import { takeReport } from '#shared/application/operations/take-report.ts';
import { currentTraceparent, inSpan } from '#shared/platform/tracing/tracing.ts';

const maxCallbackBytes = 256 * 1024;

/**
 * `POST /callbacks/:provider`: what a provider reports. 204 only once all of it is durable; whatever is undecided is
 * 503, upon which the provider reports again.
 */
export function callbackRoutes(
  app: Hono<AppEnv>,
  {
    store,
    providers,
    personal,
    now,
    count,
  }: {
    store: EventStore;
    providers: Providers;
    personal: Sealing;
    now(): number;
    /** Told of every report, by what became of it. */
    count(provider: string, outcome: string): void;
  },
): void {
  app.post('/callbacks/:provider', async (c) => {
    const provider = c.req.param('provider');
    const connector = providers.get(provider);
    if (connector?.reports.by !== 'callbacks') throw new Problem('route_not_found');
    const body = await readBytes(c, maxCallbackBytes);
    const read = connector.reports.readCallback(c.req.raw.headers, body, now());
    if (!read.ok) {
      count(provider, read.reason);
      throw read.reason === 'signature'
        ? new Problem('signature_invalid')
        : new Problem('invalid_request', { detail: 'this is no callback of this provider' });
    }
    const { operationId, answer, report, signed } = read;
    const requestId = c.get('requestId');
    const describe = () => ({
      name: `${provider} report`,
      kind: 'consumer' as const,
      attributes: { 'gateway.provider': provider, 'gateway.operation_id': operationId },
    });
    const taken = await inSpan(describe, async (span) => {
      const outcome = await takeReport(
        { store, personal },
        { operationId, provider, answer, report, signed },
        (begun) => {
          // A provider knows nothing of the request that began it all: what follows from its word belongs there.
          span?.continueFrom(begun?.traceparent);
          const correlationId = begun?.correlation_id ?? requestId;
          return {
            actor: `provider:${provider}`,
            correlationId,
            requestId,
            traceparent: currentTraceparent(),
          };
        },
      );
      span?.set({ 'gateway.outcome': outcome.outcome });
      return outcome;
    });
    count(provider, taken.outcome === 'taken' && taken.unreadable ? 'taken_unsealed' : taken.outcome);
    switch (taken.outcome) {
      case 'taken':
        return c.body(null, 204);
      case 'unknown_operation':
        throw new Problem('operation_not_found');
      case 'too_early':
        throw new Problem('not_ready', { detail: 'the operation is still being created' });
      case 'undecided':
        throw new Problem('not_ready', { detail: 'the report could not be kept yet', cause: taken.cause });
    }
  });
}
