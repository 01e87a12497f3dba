import { describe, expect, it, onTestFinished } from 'vitest';
import {
  commandSandbox,
  merchantForFile,
  request,
  setUpMerchant,
} from '#infra/verify/harness/shops/merchant.ts';
import { useStore } from '#infra/verify/harness/stores/store.ts';
import { stackForFile } from '#infra/verify/harness/stacks/test-stack.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { readStackFile } from '#infra/stores/stack-file.ts';
import { runAuditProcess } from '#services/audit/testing/run-audit.ts';
import { directoryStream } from '#shared/application/directory/stream.ts';
import { hashApiKey } from '#shared/application/credentials.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { shopStream } from '#shared/domain/shop/events.ts';
import { newestVersion } from '#shared/domain/versions.ts';
import { adjustmentStream } from '#shared/application/ledger/adjust.ts';
import { NO_STREAM } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';

const stack = stackForFile();
const merchant = merchantForFile(stack);
const victim = merchantForFile(stack);

/** Appends to the stream as somebody who can write to the event store, but has no key. */
async function plant(stream: string, type: string, data: object): Promise<number> {
  const store = useStore(stack.env['EVENT_STORE_URL'] ?? '');
  const expectedRevision = (await store.read(stream)).at(-1)?.revision ?? NO_STREAM;
  const actor = type.startsWith('Operation') ? 'provider:sandbox' : 'operator:admin';
  const metadata = { correlation_id: newId(), actor, schema_version: newestVersion(type) };
  const events = [{ id: newId(), type, data, metadata }];
  const { outcome } = await store.append({ stream, expectedRevision, events });
  expect(outcome).toBe('appended');
  return expectedRevision + 1;
}

/** Completes a new payment of the merchant, and waits until its money is in the balance. */
async function completePayment(of: typeof merchant, name: string) {
  const before = await of.balance();
  const { body } = await of.pay(name);
  await commandSandbox(stack.urls.sandbox, body.operation_id);
  const isCredited = async () => (await of.balance()) !== before;
  await eventually(`${name} is credited`, isCredited);
}

const waitUntilRefused = (count: number) =>
  eventually(`${count} are refused`, async () => (await countUntrusted()) >= count);

/** How many events the services refused, by their metrics. */
async function countUntrusted(): Promise<number> {
  const probes = Object.values(readStackFile(stack.dataDir)?.probes ?? {});
  const texts = await Promise.all(
    probes.map(async (probe) => (await fetch(`${probe}/metrics`)).text()),
  );
  const counts = texts.flatMap((text) =>
    [...text.matchAll(/^gateway_untrusted_events\{.*\} (\d+)$/gm)].map(([, count]) =>
      Number(count),
    ),
  );
  return Math.max(0, ...counts);
}

describe('an event that somebody plants in the event store (R17.15)', () => {
  it('completes no payment, and stops neither this shop nor the processor', async () => {
    const { body: pending } = await merchant.pay('planted');
    const id = String(pending.operation_id);
    await plant(operationStream(id), 'OperationCompleted', {
      actual_amount: '1009.00',
      recorded_amount: '1009.00',
      commission: '0.00',
      settlement_amount: '1009.00',
      legs: [{ leg_id: 'x', amount: '1009.00', completed_at: new Date().toISOString() }],
      evidence: 'legs',
    });
    await waitUntilRefused(1);
    await completePayment(merchant, 'another');
    expect(await merchant.balance()).toBe('97.50');
    expect(await merchant.state({ operation_id: id })).toMatchObject({
      status: 503,
      body: { code: 'not_ready', detail: expect.stringContaining('under investigation') },
    });
    expect(stack.output()).toContain('nothing is decided upon it');
    expect(merchant.deliveries.some(({ operationId }) => operationId === id)).toBe(false);
  });

  it('issues no key, and stops only the shop that it is about', async () => {
    const apiKey = 'gw_planted_planted_planted_planted';
    const key = { key_id: newId(), key_hash: hashApiKey(apiKey) };
    const issued = { ...key, label: 'planted', hint: 'gw_…' };
    const shop_revision = await plant(shopStream(victim.shopId), 'ApiKeyIssued', issued);
    const announced = { shop_id: victim.shopId, shop_revision, api_key: key };
    await plant(directoryStream, 'SetupChanged', announced);
    const withKey = await request(`${stack.urls.gateway}/v1/balances`, 'GET', undefined, {
      'x-api-key': apiKey,
    });
    expect(withKey.status).toBe(401);
    expect((await victim.pay('after')).status).toBe(503);
    await completePayment(merchant, 'of another shop');
  });

  it('moves no balance, by a request or by an entry, and only its ledger stands still', async () => {
    const third = await setUpMerchant(stack, { routes: [{}, { type: 'payout' }] });
    onTestFinished(third.close);
    const of = { shop_id: third.shopId, currency: 'RUB' };
    const before = await countUntrusted();
    const adjustment = { ...of, adjustment_id: 'planted', amount: '1009.00', reason: 'planted' };
    await plant(adjustmentStream(third.shopId, 'planted'), 'AdjustmentRequested', adjustment);
    await waitUntilRefused(before + 1);
    expect(await third.balance()).toBe('0.00');
    await plant(ledgerStream(third.shopId, 'RUB'), 'EntryPosted', {
      ...of,
      kind: 'adjustment',
      adjustment_id: 'another',
      reason: 'planted',
      legs: [
        { account: 'balance', amount: '1009.00' },
        { account: 'external', amount: '-1009.00' },
      ],
      balance_after: '1009.00',
      reserved_after: '0.00',
      cause: 'AdjustmentRequested',
    });
    expect(await third.call('GET', '/v1/balances')).toMatchObject({ status: 503 });
    expect((await third.payOut('of planted money')).status).toBe(503);
    await completePayment(merchant, 'of another ledger');
  });

  it('is reported by the audit', async () => {
    const { code, stdout } = await runAuditProcess(['--json', '--log-only'], {
      DATA_DIR: stack.dataDir,
    });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      violated_rules: expect.objectContaining({ 'log.unsigned': expect.anything() }),
    });
  });
});
