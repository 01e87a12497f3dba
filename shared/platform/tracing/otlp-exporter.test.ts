import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openServer } from '#infra/verify/harness/processes/loopback.ts';
import { createOtlpExporter } from './otlp-exporter.ts';
import type { FinishedSpan } from './span.ts';

// Each test asserts what the body contains.
// oxlint-disable-next-line typescript/no-explicit-any
type Received = { url: string | undefined; headers: IncomingMessage['headers']; body: any };

async function startCollector(status = 200) {
  const received: Received[] = [];
  const { url, close } = await openServer((request, response) => {
    const take = async () => {
      received.push({ url: request.url, headers: request.headers, body: await json(request) });
      // An interim response that was not requested is to be skipped (RFC 9110, 15.2).
      response.writeContinue();
      response.writeHead(status).end('{}');
    };
    void take();
  });
  onTestFinished(close);
  return { received, endpoint: url };
}

const span = (name: string): FinishedSpan => ({
  name,
  kind: 'client',
  context: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true },
  parentSpanId: 'c'.repeat(16),
  startMs: 1_790_000_000_000.125,
  endMs: 1_790_000_000_001.25,
  attributes: { text: 'x', count: 3, share: 0.5, yes: true },
  failed: true,
  links: [{ traceId: 'd'.repeat(32), spanId: 'e'.repeat(16), sampled: true }],
});

function exporterTo(endpoint: string) {
  const counted = { exported: 0, dropped: 0 };
  const onFailure = vi.fn<(error: unknown) => void>();
  const exporter = createOtlpExporter({
    endpoint,
    headers: { authorization: 'Bearer x' },
    resource: { 'service.name': 'test' },
    onSpans: (count, result) => (counted[result] += count),
    onFailure,
  });
  return { exporter, counted, onFailure };
}

it('sends spans as OTLP/HTTP in JSON', async () => {
  const { received, endpoint } = await startCollector();
  const { exporter, counted } = exporterTo(`${endpoint}/`);
  exporter.export(span('one'));
  await exporter.close();
  expect(received).toMatchObject([{ url: '/v1/traces', headers: { authorization: 'Bearer x' } }]);
  expect(received[0]?.body.resourceSpans[0].resource.attributes).toEqual([
    { key: 'service.name', value: { stringValue: 'test' } },
  ]);
  expect(received[0]?.body.resourceSpans[0].scopeSpans[0].spans).toEqual([
    {
      traceId: 'a'.repeat(32),
      spanId: 'b'.repeat(16),
      parentSpanId: 'c'.repeat(16),
      name: 'one',
      kind: 3,
      startTimeUnixNano: '1790000000000125000',
      endTimeUnixNano: '1790000000001250000',
      attributes: [
        { key: 'text', value: { stringValue: 'x' } },
        { key: 'count', value: { intValue: '3' } },
        { key: 'share', value: { doubleValue: 0.5 } },
        { key: 'yes', value: { boolValue: true } },
      ],
      links: [{ traceId: 'd'.repeat(32), spanId: 'e'.repeat(16) }],
      status: { code: 2 },
    },
  ]);
  expect(counted).toEqual({ exported: 1, dropped: 0 });
});

it('drops spans that the collector rejects, and reports the failure once', async () => {
  const { endpoint } = await startCollector(503);
  const { exporter, counted, onFailure } = exporterTo(endpoint);
  for (let count = 0; count < 600; count += 1) exporter.export(span(String(count)));
  await exporter.close();
  expect(counted).toEqual({ exported: 0, dropped: 600 });
  expect(onFailure).toHaveBeenCalledTimes(1);
});

it('drops spans beyond the capacity of its buffer', async () => {
  const { exporter, counted } = exporterTo('http://127.0.0.1:9');
  for (let count = 0; count < 5_000; count += 1) exporter.export(span(String(count)));
  expect(counted.dropped).toBe(5_000 - 4_096);
  await exporter.close();
  expect(counted.dropped).toBe(5_000);
});
