import { expect, it, onTestFinished } from 'vitest';
import { openServer } from '#infra/verify/harness/processes/loopback.ts';
import { createScraper, parseSeries, readBacklogs } from './metrics.ts';

const page = `# HELP gateway_projection_lag_events Events
# TYPE gateway_projection_lag_events gauge
gateway_projection_lag_events{projection="operations",service="projections"} 3
gateway_projection_lag_events{projection="ledger",service="projections"} 17
gateway_projection_lag_seconds{projection="ledger"} 0.25
gateway_webhook_stream_backlog{service="webhooks"} 4
gateway_webhook_messages_recorded_total{service="webhooks"} 100
gateway_webhook_attempts_total{outcome="delivered",service="webhooks"} 91
gateway_webhook_attempts_total{outcome="failed",service="webhooks"} 5
process_cpu_seconds_total 12
`;

it('parses the requested series with their labels', () => {
  expect(parseSeries(page, ['gateway_webhook_stream'])).toEqual([
    { name: 'gateway_webhook_stream_backlog', labels: 'service="webhooks"', value: 4 },
  ]);
  expect(parseSeries('up 1\n', ['up'])).toEqual([{ name: 'up', labels: '', value: 1 }]);
});

it('returns the lag of the slowest read model, and the webhooks in transit', () => {
  const waiting = readBacklogs(parseSeries(page, ['gateway_']));
  expect(waiting).toMatchObject({
    projectionLagEvents: 17,
    projectionLagS: 0.25,
    webhooksWaiting: 13,
  });
});

it('returns NaN, not 0, for missing metrics', () => {
  const waiting = readBacklogs([]);
  for (const value of Object.values(waiting)) expect(value).toBeNaN();
});

it('does not wait for a hanging service, and returns the metrics of the others', async () => {
  const { url, close } = await openServer((request, response) => {
    if (request.url !== '/hang') response.end(request.url === '/projections' ? page : '');
  });
  onTestFinished(close);
  const scrape = createScraper([`${url}/projections`, `${url}/hang`, 'http://127.0.0.1:1/']);
  const backlogs = await scrape();
  expect(backlogs.projectionLagEvents).toBe(17);
  expect(backlogs.oldestOverdueS).toBeNaN();
});
