import { afterEach, expect, it } from 'vitest';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { inScope } from './scope.ts';
import type { FinishedSpan } from './span.ts';
import {
  beginRequestSpan,
  currentTraceparent,
  inSpan,
  stopTracing,
  useTracing,
} from './tracing.ts';

afterEach(() => useTracing(undefined));

function collect(ratio = 1): FinishedSpan[] {
  const spans: FinishedSpan[] = [];
  useTracing({
    exporter: { export: (span) => spans.push(span), close: async () => undefined },
    ratio,
  });
  return spans;
}

/** Does the work in a span with this name. */
const named = <T>(name: string, work: Parameters<typeof inSpan<T>>[1]) =>
  inSpan(() => ({ name }), work);

const caller = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const traceparent = `00-${caller.traceId}-${caller.spanId}-01`;

it('creates no span while it is off', async () => {
  expect(beginRequestSpan(traceparent)).toBeUndefined();
  const result = await inSpan(
    () => {
      throw new Error('the span is described although tracing is off');
    },
    async (span) => [span, currentTraceparent()],
  );
  expect(result).toEqual([undefined, undefined]);
});

it('continues the caller’s trace, with child spans for the work below', async () => {
  const spans = collect();
  const request = beginRequestSpan(traceparent);
  await inScope({ requestId: 'r', span: request?.context }, () =>
    named('append', async () =>
      expect(currentTraceparent()).toMatch(new RegExp(`^00-${caller.traceId}-.{16}-01$`)),
    ),
  );
  request?.end({ name: 'POST /v1/payment' });
  const [append, root] = spans;
  expect(root).toMatchObject({
    name: 'POST /v1/payment',
    kind: 'server',
    parentSpanId: caller.spanId,
  });
  expect(append).toMatchObject({
    name: 'append',
    parentSpanId: root?.context.spanId,
    failed: false,
  });
  expect(new Set(spans.map(({ context }) => context.traceId))).toEqual(new Set([caller.traceId]));
});

it('starts no trace without a request', async () => {
  const spans = collect();
  await named('poll', async (span) => expect(span).toBeUndefined());
  expect(spans).toEqual([]);
});

it('omits a trace that is not sampled', () => {
  collect(0);
  expect(beginRequestSpan(traceparent)).toBeUndefined();
});

it('lets no caller force sampling by its flag or trace id', () => {
  const chosen = '4bf92f3577b34da6a3ce000000000000';
  collect(1e-9);
  expect(beginRequestSpan(`00-${chosen}-${caller.spanId}-01`)).toBeUndefined();
  collect(0.5);
  const sampled = Array.from({ length: 200 }, () =>
    beginRequestSpan(`00-${chosen}-${caller.spanId}-01`),
  ).filter((span) => span !== undefined);
  expect(sampled.length).toBeGreaterThan(50);
  expect(sampled.length).toBeLessThan(150);
  expect(sampled[0]?.context.traceId).toBe(chosen);
});

it('moves a report into the trace of its operation, with a link to the callback', async () => {
  const spans = collect();
  const callback = beginRequestSpan(undefined);
  await inScope({ span: callback?.context }, () =>
    named('report', async (report) => {
      report?.continueFrom(traceparent);
      await named('append', async () => undefined);
    }),
  );
  const [append, report] = spans;
  expect(report).toMatchObject({
    context: { traceId: caller.traceId },
    parentSpanId: caller.spanId,
  });
  expect(report?.links).toEqual([callback?.context]);
  expect(append).toMatchObject({
    context: { traceId: caller.traceId },
    parentSpanId: report?.context.spanId,
  });
});

it('marks the span that failed', async () => {
  const spans = collect();
  const failing = inSpan(
    () => ({ name: 'append', traceparent }),
    async () => {
      throw new Error('refused');
    },
  );
  await expect(failing).rejects.toThrow('refused');
  expect(spans).toMatchObject([{ name: 'append', failed: true }]);
});

it('adds the ids of request and trace to log lines within the request only', async () => {
  collect();
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('test', 'info', {
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  const request = beginRequestSpan(traceparent);
  await inScope({ requestId: 'r-1', span: request?.context }, async () => {
    await new Promise((resolve) => setImmediate(resolve));
    logger.info('inside');
  });
  logger.info('outside');
  expect(lines[0]).toMatchObject({ requestId: 'r-1', traceId: caller.traceId, msg: 'inside' });
  expect(Object.keys(lines[1] ?? {})).not.toContain('requestId');
});

it('closes the exporter when it is stopped', async () => {
  let closed = false;
  useTracing({
    exporter: { export: () => undefined, close: async () => void (closed = true) },
    ratio: 1,
  });
  await stopTracing();
  expect(closed).toBe(true);
  expect(beginRequestSpan(undefined)).toBeUndefined();
});
