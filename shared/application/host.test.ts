import { describe, expect, it } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { createHost } from './host.ts';

const countTimers = () =>
  process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

describe('services of one process', () => {
  it('share one directory, which polls nothing before its first use', async () => {
    const host = createHost();
    const store = connectEventStore('esdb://127.0.0.1:1?tls=false', { logger });
    const before = countTimers();
    const [one, two] = [host.directory(store), host.directory(store)];
    expect(one.byApiKey).toBe(two.byApiKey);
    expect(countTimers()).toBe(before);
    await host.close();
    await store.close();
  });

  it('share the process metrics, each under its own service name', async () => {
    const [one, two] = [createMetrics('one'), createMetrics('two')];
    const lag = 'nodejs_eventloop_lag_p99_seconds';
    expect(one.getSingleMetric(lag)).toBeDefined();
    expect(one.getSingleMetric(lag)).toBe(two.getSingleMetric(lag));
    for (const [name, registry] of Object.entries({ one, two })) {
      expect(await registry.metrics()).toContain(`process_cpu_seconds_total{service="${name}"}`);
    }
  });
});
