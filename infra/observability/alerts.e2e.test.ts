import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { spawnBackup } from '#infra/backup/testing/run-backup.ts';
import { findFreePort } from '#infra/process/free-port.ts';
import { findProgram } from '#infra/process/find-program.ts';
import { freeze } from '#infra/process/testing/freeze.ts';
import { identify } from '#infra/process/pids.ts';
import { query } from '#infra/verify/harness/stores/database.ts';
import { folderForFile, forFile } from '#infra/verify/harness/tests/for-file.ts';
import { freezePostgres } from '#infra/verify/harness/stores/freeze-postgres.ts';
import { commandSandbox, request, setUpMerchant } from '#infra/verify/harness/shops/merchant.ts';
import {
  openShop,
  createTestOperator,
  sandboxRoute,
} from '#infra/verify/harness/shops/operator.ts';
import { stackForFile } from '#infra/verify/harness/stacks/test-stack.ts';
import { readModels } from '#projections/registry.ts';
import { runAuditProcess } from '#services/audit/testing/run-audit.ts';
import { alertRules } from './testing/expressions.ts';
import { startPrometheus } from './testing/prometheus.ts';

// Each alert is caused once, and its expression is evaluated on what a real stack exposes. Only
// periods are shorter: how long it must hold, and when, is tested in alerts.test.yaml.

const prometheusProgram = findProgram('prometheus');

/** Alerts that this test does not cause, and why. */
const notCaused: Readonly<Record<string, string>> = {
  GatewayOverloaded: 'needs more load than a machine of tests should have',
  GatewayAppendConflicts: 'needs many writers of one stream for minutes',
  GatewayLedgerContradiction: 'the gateway can not be brought to contradict its ledger',
  GatewayAccountUnreadable: 'needs a processor with another key than the admin service',
  GatewayPersonalKeyUnreadable: 'needs a processor with another master key',
  GatewayProviderMissing: 'needs a provider that is configured first, and then is not',
  GatewayWorkOverdue: 'needs more due work than a processor does in two minutes',
  GatewayProjectionStopped: 'needs a log with an event of a newer version',
  GatewayWebhookUnbuildable: 'needs a log with an event of a newer version',
  GatewayCheckpointRefused: 'needs a log that was rewritten',
  GatewayClockSet: 'needs a machine whose clock may be set',
  GatewayStatementMissing: 'needs a provider without a statement for a day',
  GatewayPayoutFileStandsStill: 'needs a file of payouts without progress for a quarter of an hour',
  GatewayUntrustedEvents: 'blocks a stream for good: untrusted-events.e2e.test.ts causes it',
  GatewayVolumeFilling: 'needs a cluster: the kubelet has this metric',
};

describe.skipIf(prometheusProgram === undefined)('an alert fires (R16.21)', () => {
  const folder = folderForFile();
  const stack = stackForFile({
    env: {
      PROCESSES: 'apart',
      AUDIT_EVERY_S: '86400',
      PROVIDER_ACCEPTANCE_MS: '1500',
      WEBHOOK_RETRY_SCHEDULE: '0s,1s',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    },
  });
  let prometheus: Awaited<ReturnType<typeof startPrometheus>>;
  let merchant: Awaited<ReturnType<typeof setUpMerchant>>;
  const databaseUrl = () => stack.env['DATABASE_URL'] ?? '';
  const run = (text: string) => query(databaseUrl(), text);
  const caused = new Set<string>();

  // Its target does not answer.
  const backup = forFile(async () => {
    const port = await findFreePort();
    const env = {
      DATA_DIR: stack.dataDir,
      BACKUP_PORT: String(port),
      S3_ENDPOINT: 'http://127.0.0.1:9',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'key',
    };
    return { port, stop: spawnBackup(env, '--to', 's3://copies').stop };
  });

  beforeAll(async () => {
    const localAddress = (name: string) => `127.0.0.1:${stack.env[name]}`;
    prometheus = await startPrometheus(prometheusProgram ?? '', join(folder, 'prometheus'), {
      'merchant-api': localAddress('GATEWAY_METRICS_PORT'),
      'payment-page': localAddress('PAY_METRICS_PORT'),
      portal: localAddress('PORTAL_METRICS_PORT'),
      admin: localAddress('ADMIN_PORT'),
      processor: localAddress('PROCESSOR_PORT'),
      projections: localAddress('PROJECTIONS_PORT'),
      webhooks: localAddress('WEBHOOKS_PORT'),
      backup: `127.0.0.1:${backup.port}`,
    });
    merchant = await setUpMerchant(stack, { routes: [{}, { type: 'payout' }] });
    const areScraped = async () => (await prometheus.query('up == 1')).length === 8;
    await eventually('all are scraped', areScraped);
  });
  afterAll(async () => {
    await merchant?.close();
    await prometheus?.stop();
  });

  /** Its expression with short periods, and with other figures where they are given. */
  function evaluableExpression(alert: string, figures: Readonly<Record<string, string>>): string {
    let { expr } = alertRules.find((rule) => rule.alert === alert) ?? { expr: '' };
    expr = expr.replaceAll(/\[\d+[mh]\]/g, '[30s]').replaceAll(/offset \d+[mh]/g, 'offset 30s');
    for (const [from, to] of Object.entries(figures)) {
      expect(expr).toContain(from);
      expr = expr.replace(from, to);
    }
    return expr;
  }

  /** Repeats what causes it, if that is given, until it fires. */
  async function fires(
    alert: string,
    {
      figures = {},
      again,
    }: { figures?: Record<string, string>; again?: () => Promise<unknown> } = {},
  ): Promise<true> {
    caused.add(alert);
    const expr = evaluableExpression(alert, figures);
    const isFiring = async () => {
      await again?.().catch(() => undefined);
      return (await prometheus.query(expr)).length > 0;
    };
    await eventually(`${alert} fires: ${expr}`, isFiring, { intervalMs: 500 });
    return true;
  }
  /** What its expression has now. */
  const firing = (alert: string, figures = {}) =>
    prometheus.query(evaluableExpression(alert, figures));

  /** A session that holds what is locked until the test is over. */
  async function holdSession(): Promise<Client> {
    const client = new Client({ connectionString: databaseUrl() });
    client.on('error', () => undefined);
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  }
  /** Takes a lock from the process that holds it, as another process would after its end. */
  async function takeLock(name: string): Promise<void> {
    const session = await holdSession();
    const isTaken = async () => {
      await session.query(
        `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
         and ((classid::bigint << 32) | objid::bigint) = hashtextextended($1, 0)
         and pid <> pg_backend_pid()`,
        [name],
      );
      const { rows } = await session.query<{ held: boolean }>(
        'select pg_try_advisory_lock(hashtextextended($1, 0)) as held',
        [name],
      );
      return rows[0]?.held === true;
    };
    await eventually(`the lock ${name} is taken`, isTaken, { intervalMs: 5 });
  }
  async function lockTable(name: string): Promise<void> {
    const session = await holdSession();
    await session.query('begin');
    await session.query(`lock table ${name} in access exclusive mode`);
  }
  async function freezeProcess(name: string): Promise<() => void> {
    const pid = stack.pids()[name] ?? 0;
    await freeze(pid);
    let frozen = true;
    const thaw = () => {
      if (frozen && identify(pid) !== undefined) process.kill(pid, 'SIGCONT');
      frozen = false;
    };
    onTestFinished(thaw);
    return thaw;
  }
  let made = 0;
  const complete = async () => {
    const { body } = await merchant.pay(`paid-${(made += 1)}`);
    await commandSandbox(stack.urls.sandbox, body.operation_id);
    await merchant.waitForStatus(body.operation_id, ['completed']);
    return body.operation_id as string;
  };

  /** Payments in another shop than the merchant's. */
  const payIn = (apiKey: string) => () =>
    request(
      `${stack.urls.gateway}/v1/payment`,
      'POST',
      {
        merchant_operation_id: `order-${(made += 1)}`,
        client_id: 'client',
        method: 'WT_RUB_C2C',
        amount: '100.00',
        currency: 'RUB',
      },
      { 'x-api-key': apiKey },
    );

  it('for none of these while all is well', async () => {
    await complete();
    for (const alert of [
      'GatewayProcessorLeaderless',
      'GatewayProjectionAbandoned',
      'GatewayErrors',
    ])
      expect(await firing(alert)).toEqual([]);
  });

  it('for a disk, an audit that never ran, and spans that no collector accepts', async () => {
    expect(await fires('GatewayDiskFilling', { figures: { '< 0.15': '< 1' } })).toBe(true);
    expect(await fires('GatewayDiskFull', { figures: { '< 0.05': '< 1' } })).toBe(true);
    expect(await firing('GatewayAuditOverdue')).toEqual([]);
    expect(await fires('GatewayAuditOverdue', { figures: { '> 1.5 *': '> 0.00001 *' } })).toBe(
      true,
    );
    expect(await fires('GatewaySpansDropped', { again: complete })).toBe(true);
  });

  it('for a copy of the log that can not be written', async () => {
    expect(await fires('GatewayBackupBehind', { figures: { '> 60': '> 3' } })).toBe(true);
  });

  it('for one refused callback', async () => {
    const url = `http://127.0.0.1:${stack.env['PROCESSOR_PORT']}/callbacks/sandbox`;
    await fetch(url, { method: 'POST', body: '{}' });
    expect(await fires('GatewayReportsRefused')).toBe(true);
  });

  it('for providers that hang or refuse', async () => {
    const payBy = async (accept: string) => {
      const routes = [sandboxRoute({ options: { accept } })];
      return payIn((await openShop(createTestOperator(stack), { name: accept, routes })).apiKey);
    };
    expect(await fires('GatewayProviderUnknown', { again: await payBy('hang') })).toBe(true);
    expect(await fires('GatewayCreatesSlow', { figures: { '> 2.5': '> 1' } })).toBe(true);
    expect(await fires('GatewayProviderRefusing', { again: await payBy('decline') })).toBe(true);
  });

  it('for money that waits', async () => {
    const id = await complete();
    await commandSandbox(stack.urls.sandbox, id, 'late-money', { amount: '5.00' });
    expect(await fires('GatewaySuspenseOld', { figures: { '> 86400': '> 1' } })).toBe(true);
    await merchant.payOut('waits');
    expect(await fires('GatewayReservationOld', { figures: { '> 86400': '> 1' } })).toBe(true);
  });

  it('for webhooks that do not arrive', async () => {
    const plan = {
      name: 'no endpoint',
      routes: [sandboxRoute()],
      webhookUrl: 'http://127.0.0.1:9/',
    };
    const pay = payIn((await openShop(createTestOperator(stack), plan)).apiKey);
    const { body } = await pay();
    await commandSandbox(stack.urls.sandbox, body.operation_id);
    expect(await fires('GatewayWebhooksFailing')).toBe(true);
    expect(await fires('GatewayWebhookExhausted')).toBe(true);
  });

  it('for webhooks that are late, or wait to be recorded', async () => {
    const session = await holdSession();
    const block = async () => {
      await session.query('begin');
      await session.query('lock table webhooks.message in access exclusive mode');
      await complete();
    };
    await block();
    expect(await fires('GatewayWebhookStreamBacklog', { figures: { '> 10000': '> 0' } })).toBe(
      true,
    );
    await session.query('rollback');
    const deliverLate = async () => {
      try {
        await block();
        await delay(3_000);
      } finally {
        await session.query('rollback');
      }
    };
    expect(
      await fires('GatewayWebhooksLate', { figures: { '> 15': '> 1' }, again: deliverLate }),
    ).toBe(true);
    await run(`update webhooks.message set status = 'pending', due_at = now() + interval '1 day'
      where message_id = (select message_id from webhooks.message where status = 'delivered' limit 1)`);
    expect(await fires('GatewayWebhookPendingTooLong', { figures: { '> 345600': '> 1' } })).toBe(
      true,
    );
    await run(`update webhooks.message set status = 'delivered', due_at = null
      where status = 'pending' and due_at > now() + interval '1 hour'`);
  });

  async function untilDelivered(id: string): Promise<void> {
    const recorded = `select from webhooks.message
      where operation_id = '${id}' and status = 'delivered'`;
    await eventually('its delivery is recorded', async () => (await run(recorded)).length === 1);
  }

  it('for a recorded webhook that does not follow from the log', async () => {
    const id = await complete();
    await untilDelivered(id);
    const coded = `select from webhooks.message where operation_id = '${id}' and mac is not null`;
    expect(await run(coded)).toHaveLength(1);
    await run(`update webhooks.message set sequence = 7, status = 'pending', finished_at = null,
      due_at = now() where operation_id = '${id}'`);
    expect(await fires('GatewayWebhookForged')).toBe(true);
    await run(`update webhooks.message set sequence = 1, status = 'delivered', finished_at = now(),
      due_at = null, claim_token = null where operation_id = '${id}'`);
  });

  it('for a reconciliation that makes no progress', async () => {
    await lockTable('webhooks.reconciliation');
    expect(await fires('GatewayReconciliationBehind', { figures: { '> 600': '> 45' } })).toBe(true);
  });

  it('for a webhook that was lost, and only for that one', async () => {
    const id = await complete();
    await untilDelivered(id);
    await run(`delete from webhooks.attempt where message_id in
      (select message_id from webhooks.message where operation_id = '${id}')`);
    await run(`delete from webhooks.message where operation_id = '${id}'`);
    await run('delete from webhooks.reconciliation');
    expect(await fires('GatewayWebhookRepaired')).toBe(true);
    const sent = () => merchant.deliveries.filter(({ operationId }) => operationId === id);
    await eventually('it is sent again', () => sent().length >= 2);
  });

  it('for due work that is not saved', async () => {
    await run('alter table processor.due rename to due_away');
    onTestFinished(async () => void (await run('alter table processor.due_away rename to due')));
    expect(
      await fires('GatewayWorkUnsaved', { again: () => merchant.pay(`open-${(made += 1)}`) }),
    ).toBe(true);
  });

  it('where no processor leads, though one runs', async () => {
    await takeLock('processor: feed');
    expect(await fires('GatewayProcessorLeaderless')).toBe(true);
    expect(await prometheus.query('up{service="processor"} == 1')).toHaveLength(1);
    expect(await firing('GatewayWorkOverdue')).toEqual([]);
  });

  it('where no checkpoint is signed, though entries are posted', async () => {
    await takeLock('checkpoints');
    await complete();
    expect(await fires('GatewayEntriesUnsigned', { figures: { '> 300': '> 30' } })).toBe(true);
  });

  it('for an entry from the future', async () => {
    const before = await run('select shop_id, newest_at from gateway.ledger_trees limit 1');
    const [{ shop_id: shopId, newest_at: newestAt }] = before as [
      { shop_id: string; newest_at: Date },
    ];
    const set = (at: Date) =>
      run(`update gateway.ledger_trees set newest_at = '${at.toISOString()}'
        where shop_id = '${shopId}'`);
    await set(new Date(Date.now() + 86_400_000));
    onTestFinished(async () => void (await set(newestAt)));
    expect(await fires('GatewayEntryInFuture')).toBe(true);
  });

  it('for a read model that is behind', async () => {
    await lockTable('gateway.operations');
    await complete();
    expect(await fires('GatewayProjectionBehind', { figures: { '> 60': '> 3' } })).toBe(true);
  });

  it('for every read model while PostgreSQL is frozen', async () => {
    const unfreeze = await freezePostgres(stack);
    const alert = 'GatewayProjectionAbandoned';
    expect(await fires(alert)).toBe(true);
    const all = async () => (await firing(alert)).length === readModels.length;
    await eventually('all fire', all);
    unfreeze();
    const none = async () => (await firing(alert)).length === 0;
    await eventually('none fires any more', none);
    expect(await firing(alert)).toEqual([]);
    await stack.waitReady();
  });

  it('for an audit that found something, failed or takes long', async () => {
    const env = { DATA_DIR: stack.dataDir };
    const audit = (...args: string[]) => runAuditProcess(['--record', 'drill', ...args], env);
    const tampered = `update gateway.shops set name = 'tampered'
      where shop_id = '${merchant.shopId}'`;
    await run(tampered);
    expect((await audit()).code).toBe(1);
    expect(await fires('GatewayAuditViolated')).toBe(true);
    expect(await fires('GatewayAuditLong', { figures: { '> 0.5 *': '> 0.0000001 *' } })).toBe(true);
    await audit('--shop', '00000000-0000-4000-8000-000000000000');
    expect(await fires('GatewayAuditFailed')).toBe(true);
  });

  it('for a process that blocks, and one that is gone', async () => {
    const block = async () => {
      const thaw = await freezeProcess('portal');
      await delay(1_500);
      thaw();
    };
    const lag = 'nodejs_eventloop_lag_p99_seconds';
    // Each scrape begins a new measurement, so only one of them shows it.
    const figures = { [lag]: `max_over_time(${lag}[30s])` };
    expect(await fires('GatewayEventLoopBlocked', { figures, again: block })).toBe(true);
    await freezeProcess('payment-page');
    expect(await fires('GatewayInstanceDown')).toBe(true);
  });

  it('for webhooks without NATS', async () => {
    await freezeProcess('nats');
    expect(await fires('GatewayWebhookPartDown')).toBe(true);
  });

  it('for an event store that does not answer', async () => {
    const pay = () => merchant.pay(`doubt-${(made += 1)}`);
    const several = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: 10 }, work));
    // During the hang, with requests that began before it: creates, and posts of terminal entries.
    const hang = async () => {
      const open = await several(pay);
      const settling = open.map(({ body }) =>
        commandSandbox(stack.urls.sandbox, body.operation_id),
      );
      const paying = several(pay);
      await delay(Math.random() * 100);
      const thaw = await freezeProcess('event-store');
      await Promise.allSettled([...settling, paying]);
      await delay(5_000);
      thaw();
      await stack.waitReady();
    };
    expect(await fires('GatewayAppendsUnknown', { again: hang })).toBe(true);
    expect(await fires('GatewayErrors', { again: hang })).toBe(true);
    expect(await fires('GatewayAppendsSlow', { again: hang })).toBe(true);
    expect(await fires('GatewayLedgerUndecided', { again: hang })).toBe(true);
  });

  it('for a follower whose checkpoint is of another log', async () => {
    await stack.waitReady();
    await run(
      `update webhooks.relay set position_event = jsonb_set(position_event, '{id}', '"other"')`,
    );
    stack.kill('webhooks');
    expect(await fires('GatewayCheckpointNotInLog')).toBe(true);
  });

  it('or is listed here with the reason why not', () => {
    const all = alertRules.map(({ alert }) => alert).toSorted();
    expect([...caused, ...Object.keys(notCaused)].toSorted()).toEqual(all);
  });
});
