import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { ProviderConnector, StatementPage } from '#shared/application/providers/connector.ts';
import { importStatement } from '#shared/application/statements/import.ts';
import { decodeStatementEvent, statementStream } from '#shared/domain/statements/events.ts';
import { connectEventStore, type EventStore } from '#shared/platform/event-store/index.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { keepFetchingStatements } from './fetching.ts';
import { createStatementMetrics } from './metrics.ts';

let store: EventStore;
beforeAll(() => {
  store = connectEventStore(inject('eventStoreUrl'));
});
afterAll(() => store.close());

const hourMs = 3_600_000;
let names = 0;

type Answer = StatementPage | { outcome: 'unavailable'; cause: string };
const empty: StatementPage = { outcome: 'known', lines: [], final: true };

/** A provider with statements, and what fetches them; time goes as the test says. */
function fetching({ answers = () => empty }: { answers?: (day: string) => Answer } = {}) {
  const provider = `fetched-${process.pid}-${(names += 1)}`;
  const asked: string[] = [];
  let nowMs = Date.parse('2026-02-03T12:00:00.000Z');
  const connector = {
    carries: [
      { type: 'payment', method: 'WT_RUB_C2C', currency: 'RUB' },
      { type: 'payout', method: 'WT_RUB_C2C', currency: 'RUB' },
    ],
    statement: async ({ day }: { day: string }) => {
      asked.push(day);
      return answers(day);
    },
  } as unknown as ProviderConnector;
  const registry = createMetrics('processor');
  const stopped: { stop(): Promise<void> }[] = [];
  const of = (day: string) => ({ provider, account: 'default', currency: 'RUB', day });
  return {
    asked,
    of,
    pass: (ms: number) => void (nowMs += ms),
    missing: async () => {
      const text = await registry.metrics();
      return /^gateway_statement_missing_days\{.*\} (\d+)/m.exec(text)?.[1];
    },
    imports: async (day: string) =>
      (await store.read(statementStream(of(day))))
        .map((stored) => decodeStatementEvent(stored))
        .filter(({ type }) => type === 'StatementImported').length,
    start: () => {
      const ended = new AbortController();
      const running = keepFetchingStatements({
        store,
        providers: new Map([[provider, connector]]),
        logger: pino({ level: 'silent' }),
        metrics: createStatementMetrics(createMetrics('other')),
        afterMs: hourMs,
        lookEveryMs: 20,
        now: () => nowMs,
        signal: ended.signal,
        ...(stopped.length === 0 && { metrics: createStatementMetrics(registry) }),
      });
      const handle = {
        stop: async () => {
          ended.abort();
          await running;
        },
      };
      stopped.push(handle);
      return handle;
    },
  };
}
const soon = { timeout: 5_000, interval: 20 };

it('fetches the newest finished day once, and each day after it', async () => {
  const given = fetching();
  const { stop } = given.start();
  await expect.poll(() => given.imports('2026-02-02'), soon).toBe(1);
  given.pass(24 * hourMs);
  await expect.poll(() => given.imports('2026-02-03'), soon).toBe(1);
  await stop();
  expect(given.asked).toEqual(['2026-02-02', '2026-02-03']);
});

it('makes up for the days of an outage, the oldest first, and tries again what is not to be had', async () => {
  const away = new Set(['2026-02-05']);
  const given = fetching({
    answers: (day) => (away.has(day) ? { outcome: 'unavailable', cause: 'timeout' } : empty),
  });
  const first = given.start();
  await expect.poll(() => given.imports('2026-02-02'), soon).toBe(1);
  await first.stop();
  given.pass(4 * 24 * hourMs);
  given.asked.length = 0;
  const { stop } = given.start();
  await expect.poll(() => given.imports('2026-02-06'), soon).toBe(1);
  expect(given.asked).toEqual(['2026-02-03', '2026-02-04', '2026-02-05', '2026-02-06']);
  expect(await given.imports('2026-02-05')).toBe(0);
  // Not at once again.
  given.pass(59_000);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(given.asked).toHaveLength(4);
  away.clear();
  given.pass(1_000);
  await expect.poll(() => given.imports('2026-02-05'), soon).toBe(1);
  await stop();
});

it('says how many days have none while it leads', async () => {
  const given = fetching({ answers: () => ({ outcome: 'unavailable', cause: 'timeout' }) });
  const { stop } = given.start();
  await expect.poll(given.missing, soon).toBe('1');
  await stop();
  expect(await given.missing()).toBeUndefined();
});

it('leaves what a person imported', async () => {
  const given = fetching();
  const of = given.of('2026-02-02');
  const origin = { actor: 'operator:admin', correlationId: 'test' };
  await importStatement({ store, origin }, { of, source: 'file', lines: [] });
  const { stop } = given.start();
  await expect.poll(given.missing, soon).toBe('0');
  await stop();
  expect(given.asked).toEqual([]);
});

it('of two processes one imports', async () => {
  const given = fetching();
  const both = [given.start(), given.start()];
  await expect.poll(() => given.imports('2026-02-02'), soon).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await given.imports('2026-02-02')).toBe(1);
  await Promise.all(both.map(({ stop }) => stop()));
});
