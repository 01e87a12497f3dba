import type { Attributes, FinishedSpan, SpanKind } from './span.ts';

const kinds: Readonly<Record<SpanKind, number>> = {
  internal: 1,
  server: 2,
  client: 3,
  producer: 4,
  consumer: 5,
};

/**
 * Spans in the JSON of OTLP/HTTP (opentelemetry-proto: trace/v1, hexadecimal ids, 64-bit numbers as
 * text).
 */
export function toOtlpJson(spans: readonly FinishedSpan[], resource: Attributes): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: toKeyValues(resource) },
        scopeSpans: [{ scope: { name: 'payment-gateway' }, spans: spans.map(toSpan) }],
      },
    ],
  };
}

function toSpan(span: FinishedSpan): object {
  const { traceId, spanId } = span.context;
  return {
    traceId,
    spanId,
    ...(span.parentSpanId !== undefined && { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: kinds[span.kind],
    startTimeUnixNano: toNanoseconds(span.startMs),
    endTimeUnixNano: toNanoseconds(span.endMs),
    attributes: toKeyValues(span.attributes),
    links: span.links.map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
    status: span.failed ? { code: 2 } : {},
  };
}

const toNanoseconds = (ms: number): string => String(BigInt(Math.round(ms * 1_000)) * 1_000n);

function toKeyValues(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toValue(value) }));
}

function toValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
