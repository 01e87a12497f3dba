import { json } from 'node:stream/consumers';
import { openServer } from '#infra/verify/harness/processes/loopback.ts';

type Value = { stringValue?: string; intValue?: string; boolValue?: boolean; doubleValue?: number };
type KeyValue = { key: string; value: Value };
type WireSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: KeyValue[];
  links: { traceId: string }[];
};
type Request = {
  resourceSpans: { resource: { attributes: KeyValue[] }; scopeSpans: { spans: WireSpan[] }[] }[];
};

export type CollectedSpan = {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  durationMs: number;
  attributes: Readonly<Record<string, string>>;
  links: readonly string[];
};

type Collector = {
  readonly endpoint: string;
  readonly spans: readonly CollectedSpan[];
  close(): Promise<void>;
};

/** A minimal OpenTelemetry collector: an HTTP server that accepts spans as OTLP in JSON. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const { url, close } = await openServer((request, response) => {
    const take = async () => {
      const { resourceSpans } = (await json(request)) as Request;
      for (const { resource, scopeSpans } of resourceSpans) {
        const service = textsOf(resource.attributes)['service.name'] ?? '';
        spans.push(
          ...scopeSpans.flatMap((scope) => scope.spans.map((span) => toSpan(service, span))),
        );
      }
      response.writeHead(request.url === '/v1/traces' ? 200 : 404).end('{}');
    };
    void take();
  });
  return { endpoint: url, spans, close };
}

function toSpan(service: string, span: WireSpan): CollectedSpan {
  const { traceId, spanId, parentSpanId, name } = span;
  const durationMs = Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6;
  const links = span.links.map((link) => link.traceId);
  const attributes = textsOf(span.attributes);
  return { service, traceId, spanId, parentSpanId, name, durationMs, attributes, links };
}

function textsOf(attributes: readonly KeyValue[]): Record<string, string> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.intValue ?? String(value.boolValue ?? value.doubleValue),
    ]),
  );
}
