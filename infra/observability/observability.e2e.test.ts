import { beforeAll, describe, expect, it } from 'vitest';
import { spawnBackup } from '#infra/backup/testing/run-backup.ts';
import { folderForFile, forFile } from '#infra/verify/harness/tests/for-file.ts';
import { readStackStream } from '#infra/verify/harness/stores/store.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { answers } from '../start/health.ts';
import { findFreePort } from '../process/free-port.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { commandSandbox, merchantForFile, request } from '#infra/verify/harness/shops/merchant.ts';
import { startTestStack } from '#infra/verify/harness/stacks/test-stack.ts';
import { startCollector, type CollectedSpan } from './testing/collector.ts';
import { documentedMetrics } from './testing/documented.ts';
import { parseExposition, type ExposedMetric } from './testing/exposed.ts';

const ports = {
  'merchant-api': 'GATEWAY_METRICS_PORT',
  'payment-page': 'PAY_METRICS_PORT',
  portal: 'PORTAL_METRICS_PORT',
  admin: 'ADMIN_PORT',
  processor: 'PROCESSOR_PORT',
  projections: 'PROJECTIONS_PORT',
  webhooks: 'WEBHOOKS_PORT',
  'sandbox-provider': 'SANDBOX_PORT',
  backup: 'BACKUP_PORT',
} as const;
type Service = keyof typeof ports;
const services = Object.keys(ports) as Service[];

/** The services in each group of the page. */
const groups: Readonly<Record<string, readonly Service[]>> = {
  all: services,
  traced: ['merchant-api', 'payment-page', 'admin', 'portal', 'processor', 'webhooks'],
  stores: [
    'merchant-api',
    'payment-page',
    'admin',
    'portal',
    'processor',
    'projections',
    'webhooks',
  ],
  followers: ['merchant-api', 'admin', 'processor', 'projections', 'webhooks'],
  ledgers: ['merchant-api', 'admin', 'portal', 'processor', 'webhooks'],
  providers: ['merchant-api', 'payment-page', 'admin', 'processor'],
};

const collector = forFile(startCollector);
const stack = forFile(() =>
  startTestStack({
    // As deployed: one process per service, with its own name in traces and all metrics.
    env: {
      PROCESSES: 'apart',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      LOG_LEVEL: 'debug',
    },
  }),
);
const merchant = merchantForFile(stack, { routes: [{}, { type: 'payout' }] });

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const requestId = 'a-merchants-request';
const requisite = '2200123456789010';
const cardNumber = '4111111111111111';

/** One payout, from a traced request to its webhook. */
async function payOut(): Promise<string> {
  const answer = await request(
    `${stack.urls.gateway}/v1/payout`,
    'POST',
    {
      merchant_operation_id: 'traced',
      // Accepted, since any text may be an id; it must appear nowhere.
      client_id: `client-of-the-trace-${cardNumber}`,
      method: 'WT_RUB_C2C',
      amount: '173.31',
      currency: 'RUB',
      number: requisite,
    },
    {
      'x-api-key': merchant.apiKey,
      'x-request-id': requestId,
      traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    },
  );
  const operationId: string = answer.body.operation_id;
  await commandSandbox(stack.urls.sandbox, operationId);
  await merchant.waitForDelivery((delivery) => delivery.operationId === operationId);
  return operationId;
}

describe('a traced request', () => {
  let operationId: string;
  const ours = () => collector.spans.filter((span) => span.traceId === traceId);
  const named = (name: string) => ours().filter((span) => span.name === name);
  beforeAll(async () => {
    operationId = await payOut();
    const expected = ['POST /v1/payout', 'processor post', 'webhook attempt', 'webhook record'];
    const complete = () => expected.every((name) => named(name).length > 0);
    await eventually('the spans are there', complete);
  });

  it('is one trace from the request over its events to the webhook', () => {
    const byId = new Map(ours().map((span) => [span.spanId, span]));
    const pathOf = (span: CollectedSpan | undefined): string[] =>
      span === undefined
        ? []
        : [...pathOf(byId.get(span.parentSpanId ?? '')), `${span.service}: ${span.name}`];
    const paths = ours().map((span) => pathOf(span).join(' > '));
    const create = 'merchant-api: POST /v1/payout';
    const report = `${create} > processor: sandbox report`;
    expect(paths).toEqual(
      expect.arrayContaining([
        create,
        `${create} > merchant-api: append`,
        `${create} > merchant-api: sandbox submit`,
        report,
        `${report} > processor: append`,
        `${report} > processor: processor post`,
        `${report} > webhooks: relay publish`,
        `${report} > webhooks: webhook record`,
        `${report} > webhooks: webhook attempt`,
      ]),
    );
    expect(named('POST /v1/payout')[0]).toMatchObject({
      parentSpanId: '00f067aa0ba902b7',
      attributes: { 'http.route': '/v1/payout', 'gateway.request_id': requestId },
    });
    expect(named('sandbox report')[0]?.links).toHaveLength(1);
  });

  it('has one correlation id on all of its events (R17.5)', async () => {
    const events = await readStackStream(stack, operationStream(operationId));
    expect(events.at(-1)?.type).toBe('OperationCompleted');
    expect(new Set(events.map(({ metadata }) => metadata.correlation_id))).toEqual(
      new Set([requestId]),
    );
    for (const { metadata } of events) expect(metadata.traceparent).toContain(traceId);
  });

  it('has no secret in its spans, and no card number in the logs', () => {
    const text = JSON.stringify(collector.spans);
    const secrets = [
      merchant.apiKey,
      stack.adminToken,
      requisite,
      '173.31',
      'client-of-the-trace',
      cardNumber,
    ];
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(stack.output()).not.toContain(cardNumber);
    expect(text).not.toMatch(/whsec_|gw_[0-9A-Za-z]{40}|postgres:|esdb:/);
  });

  it('has its request id and trace id in the log', () => {
    const line = stack
      .output()
      .split('\n')
      .find((text) => text.includes('route=/v1/payout'));
    expect(line).toContain(`requestId=${requestId}`);
    expect(line).toContain(`traceId=${traceId}`);
  });
});

describe('the documented metrics', () => {
  const exposed = new Map<Service, Map<string, ExposedMetric>>();
  const texts: string[] = [];
  const folder = folderForFile();
  const backup = forFile(async () => {
    const port = await findFreePort();
    const env = { DATA_DIR: stack.dataDir, BACKUP_PORT: String(port) };
    const { stop } = spawnBackup(env, '--to', folder);
    const isReady = () => answers(`http://127.0.0.1:${port}/readyz`);
    await eventually('the backup follows the log', isReady);
    return { port, stop };
  });
  const readMetrics = async (service: Service) => {
    const port = service === 'backup' ? backup.port : stack.env[ports[service]];
    return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  };
  beforeAll(async () => {
    // The processor checks for statements some seconds after its start.
    const checked = async () =>
      (await readMetrics('processor')).includes('gateway_statement_missing_days{');
    await eventually('the processor has checked for statements', checked, { intervalMs: 200 });
    for (const service of services) {
      const text = await readMetrics(service);
      texts.push(text);
      exposed.set(service, parseExposition(text));
    }
  });

  it('are exposed by the services with the documented labels', () => {
    for (const { name, type, labels, on } of documentedMetrics) {
      const where = groups[on] ?? [on as Service];
      const exposedMetrics = where.map((service) => exposed.get(service)?.get(name));
      expect({ name, types: exposedMetrics.map((metric) => metric?.type) }).toEqual({
        name,
        types: where.map(() => type),
      });
      const labelsExposed = new Set(
        exposedMetrics.flatMap((metric) => [...(metric?.labels ?? [])]),
      );
      labelsExposed.delete('le');
      expect({ name, labels: [...labelsExposed].toSorted() }).toEqual({
        name,
        labels: ['service', ...labels].toSorted(),
      });
    }
  });

  it('are all metrics that the services expose', () => {
    const listed = new Map(
      documentedMetrics.map(({ name, on }) => [name, groups[on] ?? [on as Service]]),
    );
    const unlisted = [...exposed].flatMap(([service, metrics]) =>
      [...metrics.keys()]
        .filter((name) => name.startsWith('gateway_') && !listed.get(name)?.includes(service))
        .map((name) => `${name} of ${service}`),
    );
    expect(unlisted).toEqual([]);
  });

  it('contain no id other than a shop’s', () => {
    for (const text of texts) {
      expect(text).toContain('gateway_http_request_duration_seconds_count{');
      // Only shop ids may appear, in metrics about a shop.
      const others = text.replaceAll(/shop_id="[^"]*"/g, '');
      expect(others).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}|traced|client-of-the-trace/);
    }
  });
});
