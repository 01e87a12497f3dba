import { execFile, execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAuditToPass } from '#services/audit/testing/run-audit.ts';
import { readStackFile } from '#infra/stores/stack-file.ts';
import { eventually, untilAnswered } from '#infra/verify/harness/tests/eventually.ts';
import { copyCluster } from '#infra/verify/harness/stores/cluster.ts';
import { query } from '#infra/verify/harness/stores/database.ts';
import {
  commandSandbox,
  request,
  setUpMerchant,
  type TestMerchant,
} from '#infra/verify/harness/shops/merchant.ts';
import {
  stackEnvironment,
  startTestStack,
  type TestStack,
} from '#infra/verify/harness/stacks/test-stack.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/processes/temp-folder.ts';

// docs/operators/recovery.md, "When the log is not the one of PostgreSQL".

const within = { intervalMs: 100 };
const cli = fileURLToPath(new URL('../../../projections/cli.ts', import.meta.url));

type Gateway = { dataDir: string; env: Record<string, string>; start(): Promise<TestStack> };

async function useGateway(): Promise<Gateway> {
  const dataDir = makeTempFolder();
  await copyCluster(join(dataDir, 'postgres'));
  const env = await stackEnvironment(dataDir);
  return { dataDir, env, start: () => startTestStack({ dataDir, env }) };
}

/** Copies a folder of a stopped gateway, to restore it later. */
function backUp({ dataDir }: Gateway, store: 'event-store' | 'postgres' | 'nats') {
  const [live, copy] = [join(dataDir, store), join(dataDir, `${store}-backup`)];
  execFileSync('cp', ['-a', live, copy]);
  return {
    restore: () => {
      rmSync(live, { recursive: true });
      execFileSync('cp', ['-a', copy, live]);
    },
  };
}

/** Completes payments and waits for their webhooks. @returns their ids */
async function payments(stack: TestStack, merchant: TestMerchant, names: readonly string[]) {
  const ids: string[] = [];
  for (const name of names) {
    const { status, body } = await merchant.pay(name);
    expect(status).toBe(200);
    await commandSandbox(stack.urls.sandbox, body.operation_id);
    await merchant.waitForDelivery(({ operationId }) => operationId === body.operation_id);
    ids.push(body.operation_id as string);
  }
  return ids;
}

/** The number of webhooks recorded in PostgreSQL as delivered to a shop. */
async function delivered({ env }: TestStack, { shopId }: TestMerchant): Promise<number> {
  const [row] = await query<{ count: number }>(
    env['DATABASE_URL'] ?? '',
    `select count(*)::int as count from webhooks.message
     where status = 'delivered' and shop_id = $1`,
    [shopId],
  );
  return row?.count ?? 0;
}

/** The reasons why the services of a stack are not ready. */
async function reasons(dataDir: string): Promise<Record<string, string>> {
  const probes = Object.entries(readStackFile(dataDir)?.probes ?? {});
  const answers = await Promise.all(
    probes.map(async ([service, probe]) => {
      const answer = await request(`${probe}/readyz`, 'GET').catch(() => undefined);
      return [service, answer?.status === 503 ? String(answer.body.detail) : ''] as const;
    }),
  );
  return Object.fromEntries(answers);
}

function rebuild({ env }: Gateway): Promise<{ code: number; output: string }> {
  const { PATH, HOME } = process.env;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [cli, 'rebuild'],
      { env: { PATH, HOME, DATA_DIR: env['DATA_DIR'] } },
      (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? -1) : 0, output: stdout + stderr }),
    );
  });
}

/** Starts with a log other than PostgreSQL's: no follower starts until it is reset. */
async function startAndRebuild(gateway: Gateway): Promise<TestStack> {
  const starting = gateway.start();
  const areRefused = async () => {
    const { processor, webhooks, projections } = await reasons(gateway.dataDir);
    return [processor, webhooks, projections].every((reason) =>
      reason?.startsWith('the checkpoint of '),
    );
  };
  const first = await Promise.race([
    eventually('they are refused', areRefused).then(() => 'refused'),
    starting.then(() => 'ready'),
  ]);
  expect(first).toBe('refused');
  const { code, output } = await rebuild(gateway);
  expect({ code, output }).toMatchObject({ code: 0 });
  for (const name of ['processor', 'webhooks.relay'])
    expect(output).toContain(`${name}: its checkpoint is not known to be in the log`);
  return starting;
}

/** The audit's message about a read model that a rebuild has not filled yet. */
const notFilled = ['is empty: start the projections', 'run the audit again when it has caught up'];

/** Repeats the audit while a rebuilt read model can't be compared yet. */
async function expectAuditPasses({ dataDir }: Gateway): Promise<void> {
  const passes = () =>
    expectAuditToPass(dataDir).then(
      () => true,
      (error: unknown) => {
        if (notFilled.some((reason) => String(error).includes(reason))) return false;
        throw error;
      },
    );
  await eventually('every read model is compared, without a finding', passes, within);
}

// Each test continues with the gateway of the previous one.
describe('one store from an older backup, with the others newer', () => {
  let gateway: Gateway;
  let merchant: TestMerchant;
  /** Its route accepts two payments a day. */
  let limited: TestMerchant;
  let open = '';
  let stack: TestStack | undefined;
  const backups = {} as Record<'event-store' | 'postgres' | 'nats', ReturnType<typeof backUp>>;
  const settle = (on: TestStack) => commandSandbox(on.urls.sandbox, open);

  beforeAll(async () => {
    gateway = await useGateway();
    stack = await gateway.start();
    merchant = await setUpMerchant(stack, { routes: [{}, { type: 'payout' }] });
    limited = await setUpMerchant(stack, { routes: [{ daily_count: 2 }] });
    await payments(stack, merchant, ['a', 'b']);
    open = (await merchant.pay('open')).body.operation_id;
    await stack.stop();
    for (const store of ['event-store', 'postgres', 'nats'] as const)
      backups[store] = backUp(gateway, store);
  });
  afterAll(async () => {
    await Promise.all([merchant?.close(), limited?.close()]);
    await stack?.stop();
    removeFolder(gateway.dataDir);
  });

  it('the log: blocks every follower until one command resets them (R17.12)', async () => {
    const newer = (stack = await gateway.start());
    await payments(newer, merchant, ['c', 'd', 'e']);
    await payments(newer, limited, ['x', 'y']);
    // In the lost period, this payment is completed and its webhook delivered.
    await settle(newer);
    await merchant.waitForDelivery(({ operationId }) => operationId === open);
    await newer.stop();

    backups['event-store'].restore();
    const before = merchant.deliveries.length;
    const restored = (stack = await startAndRebuild(gateway));
    await payments(restored, merchant, ['f', 'g', 'h', 'i', 'j']);
    expect((await merchant.state({ operation_id: open })).body.status).toBe('pending');
    await settle(restored);
    const ends = () => merchant.deliveries.filter((each) => each.operationId === open);
    await eventually(
      'its webhook is sent again, with the id of the new event',
      () => ends().length > 1,
      within,
    );
    expect(new Set(ends().map(({ id }) => id)).size).toBe(2);
    // 8 payments of 100.00, less 2.5 %: two from before, five now, and the open one.
    expect(await merchant.balance()).toBe('780.00');
    const accepted = async (name: string) =>
      (await untilAnswered(() => limited.pay(name))).status === 200;
    let tries = 0;
    // Routes with daily limits are skipped until the day is known.
    await eventually('the day is known', () => accepted(`first-${(tries += 1)}`), within);
    const more = await Promise.all(
      Array.from({ length: 7 }, (_, index) => accepted(`more-${index}`)),
    );
    expect(more.filter(Boolean)).toHaveLength(1);
    // No webhook from before the backup was sent again.
    expect(merchant.deliveries.length - before).toBe(6);
    const ids = merchant.deliveries.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    await expectAuditPasses(gateway);
  });

  it('PostgreSQL: continues from its checkpoints, and misses nothing (R17.12)', async () => {
    // NATS deduplicates for 20 s, and the reconciliation runs once a minute.
    const deduplicationExpired = delay(21_000);
    await stack?.stop();
    await deduplicationExpired;
    backups.postgres.restore();
    const deliveredBefore = merchant.deliveries.length;
    const restored = (stack = await gateway.start());
    await payments(restored, merchant, ['k']);
    expect(await merchant.balance()).toBe('877.50');
    // Two from before the backup, six afterwards, and this one.
    const isComplete = async () => (await delivered(restored, merchant)) === 9;
    await eventually('every webhook is recorded again', isComplete, { intervalMs: 500 });
    expect(merchant.deliveries.length - deliveredBefore).toBe(7);
    const byId = Map.groupBy(merchant.deliveries, ({ id }) => id);
    for (const [, deliveries] of byId)
      expect(new Set(deliveries.map(({ body }) => body)).size).toBe(1);
  });

  it('NATS: continues likewise; a rebuild retains checkpoints that are in the log', async () => {
    await stack?.stop();
    const { code, output } = await rebuild(gateway);
    expect({ code, output }).toMatchObject({ code: 0 });
    for (const name of ['processor', 'webhooks.relay'])
      expect(output).toContain(`${name}: its checkpoint is in the log`);
    backups.nats.restore();
    const before = merchant.deliveries.length;
    stack = await gateway.start();
    await payments(stack, merchant, ['l', 'm']);
    expect(merchant.deliveries.length - before).toBe(2);
    await expectAuditPasses(gateway);
  });

  it('a new log: blocks followers, and a rebuild drops the old webhooks (R17.12)', async () => {
    await stack?.stop();
    rmSync(join(gateway.dataDir, 'event-store'), { recursive: true });
    const renewed = (stack = await startAndRebuild(gateway));
    const newMerchant = await setUpMerchant(renewed);
    await payments(renewed, newMerchant, ['a', 'b', 'c']);
    await newMerchant.close();
    expect(await newMerchant.balance()).toBe('292.50');
    expect(await delivered(renewed, newMerchant)).toBe(3);
    expect(await delivered(renewed, merchant)).toBe(0);
    await expectAuditPasses(gateway);
  });
});
