import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { ping } from '#shared/application/webhooks/messages/ping.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { completeOperation } from '../testing/history.ts';
import { createMerchant } from '../testing/merchant.ts';
import { until } from '../testing/until.ts';
import { webhookStackForFile } from '../testing/webhook-stack.ts';

const stack = webhookStackForFile();
const metrics = createMetrics('webhooks');
const countForged = async () =>
  (await metrics.getSingleMetric('gateway_webhook_forged_total')?.get())?.values[0]?.value ?? 0;

it('signs nothing that somebody else has written into its table (R14.22)', async () => {
  const [merchant, other] = [await createMerchant(stack), await createMerchant(stack)];
  const recording = await stack.start({ only: ['relay', 'ingest'] });
  const made = async () => (await completeOperation(stack.store, merchant.shopId)).operationId;
  const [genuine, altered, copied, moved, uncoded] = [
    await made(),
    await made(),
    await made(),
    await made(),
    await made(),
  ];
  await until('all are recorded', async () => (await merchant.messages()).length === 5);
  await recording.stop();

  const change = (what: string, operationId: string) =>
    sql`update webhooks.message set ${sql.raw(what)} where operation_id = ${operationId}`.execute(
      stack.db,
    );
  const [before, after] = [`'"actual_amount":"100.00"'`, `'"actual_amount":"900.00"'`];
  await change(`body = replace(body, ${before}, ${after})`, altered);
  await change(`shop_id = '${other.shopId}'`, moved);
  await change('mac = null', uncoded);
  await sql`insert into webhooks.message
      (message_id, shop_id, operation_id, sequence, type, body, mac, occurred_at, due_at)
    select 'made-up', shop_id, 'made-up', 1, type, body, mac, occurred_at, now()
    from webhooks.message where operation_id = ${copied}`.execute(stack.db);
  const pinged = await ping(stack.db, { shopId: merchant.shopId });

  await stack.start({ only: ['dispatch'], metrics });
  await merchant.receiver.until(4);
  await until('the others are counted', async () => (await countForged()) >= 3);
  const { received } = merchant.receiver;
  const operationIds = received.map(({ id, message }) => {
    const { operation } = message.data as { operation?: { operation_id: string } };
    return operation?.operation_id ?? id;
  });
  expect(operationIds.toSorted()).toEqual([genuine, copied, uncoded, pinged].toSorted());
  expect(other.receiver.received).toEqual([]);
  const withheld = async () => {
    const { rows } = await sql<{ operation_id: string; attempt_count: number }>`
      select operation_id, attempt_count from webhooks.message
      where status = 'pending' and due_at > now() and claim_token is null`.execute(stack.db);
    return rows;
  };
  // They are counted right before their claims are released.
  let rows = await withheld();
  await until('the others are withheld', async () => (rows = await withheld()).length === 3);
  expect(rows.map((row) => row.operation_id).toSorted()).toEqual(
    [altered, moved, 'made-up'].toSorted(),
  );
  expect(rows.map((row) => row.attempt_count)).toEqual([0, 0, 0]);

  // Once a row is as the log requires it, it is sent.
  await change(`body = replace(body, ${after}, ${before}), due_at = now()`, altered);
  await merchant.receiver.until(5);
  expect(merchant.receiver.forged).toEqual([]);
});
