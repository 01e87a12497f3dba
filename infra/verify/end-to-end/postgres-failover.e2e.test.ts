import { expect, it } from 'vitest';
import { expectAuditToPass } from '#services/audit/testing/run-audit.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import {
  askAdmin,
  commandSandbox,
  setUpMerchant,
  type TestMerchant,
} from '#infra/verify/harness/shops/merchant.ts';
import { usePostgresPair } from '#infra/verify/harness/stores/postgres-pair.ts';
import { useStack, type TestStack } from '#infra/verify/harness/stacks/test-stack.ts';

// docs/operators/recovery.md, "After a failover of PostgreSQL".

const soon = { intervalMs: 100 };

/** The pools that write. */
const writers = ['gateway-projections', 'processor', 'webhooks', 'webhooks-queue'];

type PostgresServer = Awaited<ReturnType<typeof usePostgresPair>>['first'];

const untilRefused = ({ refused }: PostgresServer) =>
  eventually(
    'every pool was refused a write',
    () => writers.every((name) => refused.has(name)),
    soon,
  );

/** Until no pool that writes has a connection to it. */
async function untilLeft(server: PostgresServer): Promise<void> {
  const isLeft = async () => {
    const sessions = await server.ask<{ name: string }>(
      'select application_name as name from pg_stat_activity',
    );
    return !sessions.some(({ name }) => writers.includes(name));
  };
  await eventually('every pool has left', isLeft, soon);
}

/** A payment that is completed, whether PostgreSQL can be written or not. */
async function completePayment(stack: TestStack, merchant: TestMerchant, name: string) {
  const { status, body } = await merchant.pay(name);
  expect(status).toBe(200);
  await commandSandbox(stack.urls.sandbox, body.operation_id);
  await merchant.waitForStatus(body.operation_id, ['completed']);
  return body.operation_id as string;
}

/** Until every service is ready, every read model live, and the payment's webhook delivered. */
async function untilCaughtUp(stack: TestStack, merchant: TestMerchant, operationId: string) {
  await eventually(
    'the webhook has come',
    () => merchant.deliveries.some((delivery) => delivery.operationId === operationId),
    soon,
  );
  const areLive = async () => {
    const { status, body } = await askAdmin(stack, 'GET', '/projections');
    return (
      status === 200 &&
      body.projections.every(
        (each: { status: string; lag_events: number }) =>
          each.status === 'live' && each.lag_events === 0,
      )
    );
  };
  await eventually('every read model is live', areLive, soon);
  await stack.waitReady();
  const { body } = await merchant.call('GET', '/v1/operations?limit=1');
  expect(body.operations[0]).toMatchObject({ operation_id: operationId, status: 'completed' });
}

it('leaves connections that only read once the role writes again (R19.11)', async () => {
  const { first, url } = await usePostgresPair();
  const stack = await useStack({ env: { DATABASE_URL: url } });
  const merchant = await setUpMerchant(stack);
  await untilCaughtUp(stack, merchant, await completePayment(stack, merchant, 'before'));

  const role = new URL(url).username;
  await first.ask(`alter role ${role} set default_transaction_read_only = on`);
  await first.ask(
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`,
  );
  const during = await completePayment(stack, merchant, 'during');
  await untilRefused(first);
  await first.ask(`alter role ${role} reset default_transaction_read_only`);
  await untilCaughtUp(stack, merchant, during);
  await expect(expectAuditToPass(stack.dataDir)).resolves.toBeUndefined();
});

it('follows a promoted standby from a server that is silent (R19.11)', async () => {
  const { first, second, url, lead } = await usePostgresPair();
  const stack = await useStack({ env: { DATABASE_URL: url } });
  const merchant = await setUpMerchant(stack);
  await untilCaughtUp(stack, merchant, await completePayment(stack, merchant, 'before'));

  await first.freeze();
  lead(second);
  await second.promote();
  await untilCaughtUp(stack, merchant, await completePayment(stack, merchant, 'silence'));
  await expect(expectAuditToPass(stack.dataDir)).resolves.toBeUndefined();
});

it('follows a promoted standby, also from a server that became one (R19.11)', async () => {
  const { first, second, url, lead } = await usePostgresPair();
  const stack = await useStack({ env: { DATABASE_URL: url } });
  const merchant = await setUpMerchant(stack);
  await untilCaughtUp(stack, merchant, await completePayment(stack, merchant, 'before'));

  // A switchover, in which connections to the former primary stay open.
  await first.stop();
  await first.startAsStandby(second);
  const during = await completePayment(stack, merchant, 'switchover');
  await untilRefused(first);
  lead(second);
  await second.promote();
  await untilCaughtUp(stack, merchant, during);
  await untilLeft(first);

  // A failover: the primary is gone, and clients are led to its standby before it is promoted.
  first.refused.clear();
  await second.kill();
  lead(first);
  const after = await completePayment(stack, merchant, 'failover');
  await untilRefused(first);
  await first.promote();
  await untilCaughtUp(stack, merchant, after);
  await expect(expectAuditToPass(stack.dataDir)).resolves.toBeUndefined();
});
