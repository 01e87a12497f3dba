import { expect, it } from 'vitest';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { storeForFile } from '#infra/verify/harness/stores/store.ts';
import { avoidMidnight } from '#infra/verify/harness/tests/avoid-midnight.ts';
import { createDirectory } from '#shared/application/directory/directory.ts';
import { writeToDirectory } from '#shared/application/directory/testing/write.ts';
import { byRoute } from '#shared/application/providers/accounts/connector-by-route.ts';
import { createAccountConnectors } from '#shared/application/providers/accounts/connectors.ts';
import type { Credentials } from '#shared/application/providers/accounts/credentials.ts';
import { testCredentialKeys } from '#shared/application/providers/accounts/testing/credential-keys.ts';
import type { ProviderConnector, StatementPage } from '#shared/application/providers/connector.ts';
import { importStatement } from '#shared/application/statements/import-statement.ts';
import { dayAfter } from '#shared/application/statements/days.ts';
import { accountKey } from '#shared/domain/provider/accounts.ts';
import { decodeStatementEvent, statementStream } from '#shared/domain/statements/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { runStatementFetching } from './fetching.ts';
import { createStatementMetrics } from './metrics.ts';

// The day must not change between the statements and their requests.
await avoidMidnight();

const store = storeForFile();
const directory = forFile(() => createDirectory(store));

const hourMs = 3_600_000;
let names = 0;

type Answer = StatementPage | { outcome: 'unavailable'; cause: string };
const empty: StatementPage = { outcome: 'known', lines: [], final: true };

/** A provider with statements, and the code that fetches them; the test sets the time. */
function fetching({
  answers = () => empty,
  from = '2026-02-03T12:00:00.000Z',
  environment = true,
}: {
  answers?: (day: string) => Answer | Promise<Answer>;
  from?: string;
  environment?: boolean;
} = {}) {
  const provider = `fetched-${process.pid}-${(names += 1)}`;
  const requested: string[] = [];
  let nowMs = Date.parse(from);
  const connectorOf = (account: string) => {
    const connector = {
      name: provider,
      reports: { by: 'polling' },
      carries: [
        { type: 'payment', method: 'WT_RUB_C2C', currency: 'RUB' },
        { type: 'payout', method: 'WT_RUB_C2C', currency: 'RUB' },
      ],
      statement: async ({ day }: { day: string }) => {
        requested.push(account === 'default' ? day : `${account} ${day}`);
        return answers(day);
      },
    } as unknown as ProviderConnector;
    return { connector, close: async () => undefined };
  };
  const byEnvironment = environment ? connectorOf('default') : undefined;
  const connect = ({ current }: { current: Credentials }) => connectorOf(String(current['opens']));
  const accounts = createAccountConnectors({
    kinds: new Map([[provider, { connect, byEnvironment }]]),
    directory,
    credentialKeys: testCredentialKeys,
    logger,
  });
  const connector = byRoute(connectorOf('unknown').connector, accounts, byEnvironment);
  const registry = createMetrics('processor');
  const stopped: { stop(): Promise<void> }[] = [];
  const of = (day: string, account = 'default') => ({ provider, account, currency: 'RUB', day });
  const command = (type: string, account: string, more: object) =>
    writeToDirectory(store, type, { provider, account, ...more });
  return {
    requested,
    of,
    pass: (ms: number) => void (nowMs += ms),
    key: (account: string) => accountKey(provider, account),
    add: (account: string) => {
      const credentials = testCredentialKeys.seal(
        { provider, account, number: 1 },
        { opens: account },
      );
      return command('ProviderAccountAdded', account, { label: account, credentials });
    },
    switchOff: (account: string) =>
      command('ProviderAccountSwitchedOff', account, { reason: 'test' }),
    remove: (account: string) => command('ProviderAccountRemoved', account, { reason: 'test' }),
    missing: async (account = 'default') => {
      const text = await registry.metrics();
      return new RegExp(`^gateway_statement_missing_days\\{.*"${account}".*\\} (\\d+)`, 'm').exec(
        text,
      )?.[1];
    },
    imports: async (day: string, account?: string) =>
      (await store.read(statementStream(of(day, account))))
        .map((stored) => decodeStatementEvent(stored))
        .filter(({ type }) => type === 'StatementImported').length,
    start: () => {
      const ended = new AbortController();
      let looks = 0;
      let checks = 0;
      const read: EventStore['read'] = (stream, ...rest) => {
        // Each check reads this day, which the tests that count checks leave due and not imported.
        if (stream === statementStream(of('2026-01-31'))) looks += 1;
        return store.read(stream, ...rest);
      };
      const running = runStatementFetching({
        store: { read, append: store.append.bind(store) },
        providers: new Map([[provider, connector]]),
        accounts: {
          list: () => {
            checks += 1;
            return accounts.list();
          },
        },
        logger,
        metrics: createStatementMetrics(createMetrics('other')),
        afterMs: hourMs,
        pollEveryMs: 20,
        now: () => nowMs,
        signal: ended.signal,
        ...(stopped.length === 0 && { metrics: createStatementMetrics(registry) }),
      });
      const handle = {
        looks: () => looks,
        /** Waits until a check that begins after this call has ended. */
        lookedAgain: async () => {
          const before = looks;
          await expect.poll(() => looks - before, soon).toBeGreaterThanOrEqual(2);
        },
        /** The same for tests in which no check reads that day. */
        checked: async () => {
          const before = checks;
          await expect.poll(() => checks - before, soon).toBeGreaterThanOrEqual(2);
        },
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
const soon = { interval: 20 };

it('fetches the newest finished day once, and each following day (R22.11)', async () => {
  const given = fetching();
  const { stop } = given.start();
  await expect.poll(() => given.imports('2026-02-02'), soon).toBe(1);
  given.pass(24 * hourMs);
  await expect.poll(() => given.imports('2026-02-03'), soon).toBe(1);
  await stop();
  expect(given.requested).toEqual(['2026-02-02', '2026-02-03']);
});

it('fetches the days of an outage, the oldest first, and retries those not available (R22.11)', async () => {
  const unavailable = new Set(['2026-02-05']);
  const given = fetching({
    answers: (day) => (unavailable.has(day) ? { outcome: 'unavailable', cause: 'timeout' } : empty),
  });
  const first = given.start();
  await expect.poll(() => given.imports('2026-02-02'), soon).toBe(1);
  await first.stop();
  given.pass(4 * 24 * hourMs);
  given.requested.length = 0;
  const { stop, lookedAgain } = given.start();
  await expect.poll(() => given.imports('2026-02-06'), soon).toBe(1);
  expect(given.requested).toEqual(['2026-02-03', '2026-02-04', '2026-02-05', '2026-02-06']);
  expect(await given.imports('2026-02-05')).toBe(0);
  // It is not retried at once.
  given.pass(59_000);
  await lookedAgain();
  expect(given.requested).toHaveLength(4);
  unavailable.clear();
  given.pass(1_000);
  await expect.poll(() => given.imports('2026-02-05'), soon).toBe(1);
  await stop();
});

it('calls an unresponsive provider once per pass, so that others are fetched too (R22.11)', async () => {
  const unavailable = new Set<string>();
  const requested: number[] = [];
  let looks = () => 0;
  const given = fetching({
    answers: (day) => {
      if (!unavailable.has(day)) return empty;
      requested.push(looks());
      return { outcome: 'unavailable', cause: 'timeout' };
    },
  });
  const first = given.start();
  await expect.poll(() => given.imports('2026-02-02'), soon).toBe(1);
  await first.stop();
  for (const day of ['03', '04', '05', '06']) unavailable.add(`2026-02-${day}`);
  given.pass(4 * 24 * hourMs);
  const second = given.start();
  ({ looks } = second);
  await expect.poll(() => requested.length, soon).toBe(4);
  expect(new Set(requested).size).toBe(4);
  await second.stop();
});

it('reports how many days lack a statement while it leads', async () => {
  const given = fetching({ answers: () => ({ outcome: 'unavailable', cause: 'timeout' }) });
  const { stop } = given.start();
  await expect.poll(() => given.missing(), soon).toBe('1');
  await stop();
  expect(await given.missing()).toBeUndefined();
});

it('does not replace what a person imported (R22.11)', async () => {
  const given = fetching();
  const of = given.of('2026-02-02');
  const origin = { actor: 'operator:admin', correlationId: 'test' };
  await importStatement({ store, origin }, { of, source: 'file', lines: [] });
  const { stop } = given.start();
  await expect.poll(() => given.missing(), soon).toBe('0');
  await stop();
  expect(given.requested).toEqual([]);
});

it('imports in one of two processes (R22.11)', async () => {
  let bothRequested = () => {};
  const held = new Promise<void>((resolve) => (bothRequested = resolve));
  const given = fetching({
    answers: async () => {
      if (given.requested.length === 2) bothRequested();
      await held;
      return empty;
    },
  });
  const both = [given.start(), given.start()];
  await held;
  await Promise.all(both.map(({ lookedAgain }) => lookedAgain()));
  expect(given.requested).toEqual(['2026-02-02', '2026-02-02']);
  expect(await given.imports('2026-02-02')).toBe(1);
  await Promise.all(both.map(({ stop }) => stop()));
});

it('fetches for an added account from its first day until its removal, even while it is off (R22.11)', async () => {
  const dayMs = 24 * hourMs;
  const noon = `${new Date().toISOString().slice(0, 10)}T12:00:00.000Z`;
  const given = fetching({ from: noon, environment: false });
  const { stop, checked } = given.start();
  await given.add('second');
  await given.switchOff('second');
  const { added } = (await directory.providers('now')).accounts.get(given.key('second'))!;
  const first = added.at.slice(0, 10);
  // Nothing is requested for a day before the account was added, or for the environment's account,
  // which does not exist.
  await expect.poll(() => given.missing('second'), soon).toBe('0');
  expect(given.requested).toEqual([]);
  given.pass(3 * dayMs);
  await expect.poll(() => given.imports(dayAfter(first, 2), 'second'), soon).toBe(1);
  expect(given.requested).toEqual([0, 1, 2].map((by) => `second ${dayAfter(first, by)}`));
  await given.remove('second');
  await expect.poll(() => given.missing('second'), soon).toBeUndefined();
  given.pass(dayMs);
  await checked();
  expect(given.requested).toHaveLength(3);
  await stop();
});
