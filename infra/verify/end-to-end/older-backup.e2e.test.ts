import { execFile, execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectSoundBooks } from '#services/audit/testing/run-audit.ts';
import { readStackFile } from '#infra/stores/stack-file.ts';
import { waitUntil } from '#infra/process/wait-until.ts';
import { request, setUpMerchant, type TestMerchant } from '#infra/verify/harness/merchant.ts';
import {
  stackEnvironment,
  startTestStack,
  type TestStack,
} from '#infra/verify/harness/test-stack.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/temp-folder.ts';

// docs/operators/recovery.md, "When the log is not the one of PostgreSQL".

const within = { timeoutMs: 60_000, intervalMs: 100 };
const readyWithinMs = 150_000;
const cli = fileURLToPath(new URL('../../../projections/cli.ts', import.meta.url));

type Gateway = { dataDir: string; env: Record<string, string>; start(): Promise<TestStack> };

async function useGateway(): Promise<Gateway> {
  const dataDir = makeTempFolder();
  onTestFinished(() => removeFolder(dataDir));
  const env = await stackEnvironment(dataDir);
  const start = async () => {
    const stack = await startTestStack({ dataDir, env, readyWithinMs });
    onTestFinished(async () => void (await stack.stop()));
    return stack;
  };
  return { dataDir, env, start };
}

/** Copies a folder of a gateway that is stopped, and puts it back later. */
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

/** Payments that are completed, with their webhooks delivered. @returns their ids */
async function payments(stack: TestStack, merchant: TestMerchant, names: readonly string[]) {
  const ids: string[] = [];
  for (const name of names) {
    const { status, body } = await merchant.pay(name);
    expect(status).toBe(200);
    await request(`${stack.urls.sandbox}/control/operations/${body.operation_id}/settle`, 'POST', {
      result: 'completed',
    });
    await merchant.waitForDelivery(({ operationId }) => operationId === body.operation_id);
    ids.push(body.operation_id as string);
  }
  return ids;
}

async function balanceOf(stack: TestStack, { apiKey }: TestMerchant): Promise<unknown> {
  const { body } = await request(`${stack.urls.gateway}/v1/balances`, 'GET', undefined, {
    'x-api-key': apiKey,
  });
  return body.balances.find(({ currency }: { currency: string }) => currency === 'RUB');
}

/** How many webhooks PostgreSQL has as delivered. */
async function delivered({ env }: TestStack): Promise<number> {
  const client = new Client({ connectionString: env['DATABASE_URL'] });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from webhooks.message where status = 'delivered'`,
    );
    return rows[0]?.count ?? 0;
  } finally {
    await client.end();
  }
}

/** Why the services of a stack that does not get ready are not. */
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

/** Starts with a log that is not PostgreSQL's: no follower starts until it is brought back. */
async function startAndRebuild(gateway: Gateway): Promise<TestStack> {
  const starting = gateway.start();
  const areRefused = async () => {
    const { processor, webhooks, projections } = await reasons(gateway.dataDir);
    return [processor, webhooks, projections].every((reason) =>
      reason?.startsWith('the checkpoint of '),
    );
  };
  await Promise.race([
    waitUntil('they are refused', areRefused, { timeoutMs: readyWithinMs }),
    starting,
  ]);
  expect(await areRefused()).toBe(true);
  const { code, output } = await rebuild(gateway);
  expect({ code, output }).toMatchObject({ code: 0 });
  for (const name of ['processor', 'webhooks.relay'])
    expect(output).toContain(`${name}: its checkpoint is not known to be in the log`);
  return starting;
}

/** Audits again where a read model that was just rebuilt has nothing to compare yet. */
async function expectAuditPasses({ dataDir }: Gateway): Promise<void> {
  const passes = () =>
    expectSoundBooks(dataDir).then(
      () => true,
      (error: unknown) => {
        if (String(error).includes('has nothing of the log yet')) return false;
        throw error;
      },
    );
  await waitUntil('every read model is compared, without a finding', passes, within);
}

describe('one store from an older backup, beside newer others', { timeout: 400_000 }, () => {
  it('the log: no follower starts, until one command has brought all back to it', async () => {
    const gateway = await useGateway();
    const first = await gateway.start();
    const merchant = await setUpMerchant(first, { routes: [{}, { type: 'payout' }] });
    onTestFinished(() => merchant.close());
    const limited = await setUpMerchant(first, { routes: [{ daily_count: 2 }] });
    onTestFinished(() => limited.close());
    await payments(first, merchant, ['a', 'b']);
    const { body: open } = await merchant.pay('open');
    await first.stop();
    const log = backUp(gateway, 'event-store');

    const second = await gateway.start();
    await payments(second, merchant, ['c', 'd', 'e']);
    await payments(second, limited, ['x', 'y']);
    // In the time that is lost, this one has its end, and its webhook.
    const settle = (stack: TestStack) =>
      request(`${stack.urls.sandbox}/control/operations/${open.operation_id}/settle`, 'POST', {
        result: 'completed',
      });
    await settle(second);
    await merchant.waitForDelivery(({ operationId }) => operationId === open.operation_id);
    await second.stop();

    log.restore();
    const before = merchant.deliveries.length;
    const third = await startAndRebuild(gateway);
    await payments(third, merchant, ['f', 'g', 'h', 'i', 'j']);
    expect((await merchant.state({ operation_id: open.operation_id })).body.status).toBe('pending');
    await settle(third);
    const ends = () => merchant.deliveries.filter((each) => each.operationId === open.operation_id);
    await waitUntil(
      'its webhook comes again, with the id of the new event',
      () => ends().length > 1,
      within,
    );
    expect(new Set(ends().map(({ id }) => id)).size).toBe(2);
    // 8 payments of 100.00, less 2.5 %: two from before, five now, and the open one.
    expect(await balanceOf(third, merchant)).toMatchObject({ balance: '780.00' });
    const taken = async (name: string) => (await limited.pay(name)).status === 200;
    let tries = 0;
    // Routes with daily limits are skipped until the day is known.
    await waitUntil('the day is known', () => taken(`first-${(tries += 1)}`), within);
    const more = await Promise.all(Array.from({ length: 7 }, (_, index) => taken(`more-${index}`)));
    expect(more.filter(Boolean)).toHaveLength(1);
    // Nothing of before the backup was sent again.
    expect(merchant.deliveries.length - before).toBe(6);
    const ids = merchant.deliveries.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    await expectAuditPasses(gateway);
  });

  it('the log, which is a new one: the same, and PostgreSQL then has the webhooks of this log alone', async () => {
    const gateway = await useGateway();
    const first = await gateway.start();
    const former = await setUpMerchant(first);
    await payments(first, former, ['a', 'b']);
    await first.stop();
    await former.close();
    rmSync(join(gateway.dataDir, 'event-store'), { recursive: true });

    const second = await startAndRebuild(gateway);
    const merchant = await setUpMerchant(second);
    onTestFinished(() => merchant.close());
    await payments(second, merchant, ['a', 'b', 'c']);
    expect(await balanceOf(second, merchant)).toMatchObject({ balance: '292.50' });
    expect(await delivered(second)).toBe(3);
    await expectAuditPasses(gateway);
  });

  it('PostgreSQL, and then NATS: followers continue from there, and miss nothing', async () => {
    const gateway = await useGateway();
    const first = await gateway.start();
    const merchant = await setUpMerchant(first);
    onTestFinished(() => merchant.close());
    await payments(first, merchant, ['a', 'b']);
    await first.stop();
    const [postgres, nats] = [backUp(gateway, 'postgres'), backUp(gateway, 'nats')];
    const second = await gateway.start();
    await payments(second, merchant, ['c', 'd', 'e']);
    // NATS drops for 20 s what it has had already, and the reconciliation comes once a minute.
    const forgotten = delay(21_000);
    await second.stop();
    await forgotten;

    postgres.restore();
    const third = await gateway.start();
    await payments(third, merchant, ['f']);
    expect(await balanceOf(third, merchant)).toMatchObject({ balance: '585.00' });
    const isComplete = async () => (await delivered(third)) === 6;
    await waitUntil('every webhook is recorded again', isComplete, {
      timeoutMs: 240_000,
      intervalMs: 500,
    });
    const byId = Map.groupBy(merchant.deliveries, ({ id }) => id);
    expect(byId.size).toBe(6);
    for (const [, deliveries] of byId)
      expect(new Set(deliveries.map(({ body }) => body)).size).toBe(1);
    await third.stop();

    // Also where the gateway does not run; and a follower whose checkpoint is in the log is left.
    const { code, output } = await rebuild(gateway);
    expect({ code, output }).toMatchObject({ code: 0 });
    for (const name of ['processor', 'webhooks.relay'])
      expect(output).toContain(`${name}: its checkpoint is in the log`);
    nats.restore();
    const before = merchant.deliveries.length;
    const fourth = await gateway.start();
    await payments(fourth, merchant, ['g', 'h']);
    expect(merchant.deliveries.length - before).toBe(2);
    await expectAuditPasses(gateway);
  });
});
