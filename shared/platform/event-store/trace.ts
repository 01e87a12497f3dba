import { inSpan } from '#shared/platform/tracing/tracing.ts';
import type { AppendEffort } from './append.ts';
import type { AppendOutcome, AppendRequest } from './types.ts';

type Append = (request: AppendRequest, effort?: AppendEffort) => Promise<AppendOutcome>;

/**
 * Makes the span of an append part of the trace of its first event: a write may belong to another
 * request than the running one.
 */
export function traceAppends(append: Append): Append {
  return (request, effort) =>
    inSpan(
      () => describe(request),
      async (span) => {
        const appended = await append(request, effort);
        span?.set({ 'gateway.outcome': appended.outcome });
        return appended;
      },
    );
}

function describe({ stream, events }: AppendRequest) {
  return {
    name: 'append',
    kind: 'client' as const,
    traceparent: events.find(({ metadata }) => metadata.traceparent !== undefined)?.metadata
      .traceparent,
    attributes: {
      'db.system.name': 'eventstoredb',
      'db.operation.name': 'append',
      'gateway.stream': stream,
      'gateway.events': events.length,
      'gateway.first_event': events[0]?.type ?? '',
    },
  };
}
