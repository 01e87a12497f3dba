import { expect, it } from 'vitest';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { findLogKeys } from '#infra/stores/log-keys.ts';
import { askAdmin, commandSandbox, merchantForFile } from '#infra/verify/harness/shops/merchant.ts';
import { useStore } from '#infra/verify/harness/stores/store.ts';
import { stackForFile } from '#infra/verify/harness/stacks/test-stack.ts';
import {
  auditReportOf,
  expectAuditToPass,
  runAuditProcess,
} from '#services/audit/testing/run-audit.ts';
import { ledgerStream, type Entry } from '#shared/domain/ledger/events.ts';
import { newestVersion } from '#shared/domain/versions.ts';
import { sum } from '#shared/domain/money.ts';
import { commonName, type EventSigner } from '#shared/platform/event-store/signature.ts';
import { signAppends } from '#shared/platform/event-store/sign-appends.ts';
import type { StoredEvent } from '#shared/platform/event-store/types.ts';
import { newId } from '#shared/platform/ids.ts';

// A ledger has an owner in each process, and each of them posts for several services.
const stack = stackForFile({ instances: 2 });
const merchant = merchantForFile(stack, { routes: [{}, { type: 'payout' }] });

const openStore = () => useStore(stack.env['EVENT_STORE_URL'] ?? '');
const readEntries = async () => openStore().read(ledgerStream(merchant.shopId, 'RUB'));

/** Late money of a completed payment, in suspense. */
async function receiveLateMoney(operationId: string, amount: string) {
  await commandSandbox(stack.urls.sandbox, operationId, 'late-money', { amount });
  const find = async () =>
    (await readEntries()).find(
      ({ data }) => (data as Entry).kind === 'suspense' && JSON.stringify(data).includes(amount),
    );
  await eventually(`${amount} is in suspense`, async () => (await find()) !== undefined);
  const entry = await find();
  if (!entry) throw new Error('the entry is in suspense');
  return entry;
}

/** A service's key, with the one that all services share. */
function stolenKey(name: string): EventSigner {
  const keys = findLogKeys(stack.dataDir, {}) ?? [];
  const key = keys.find(({ service }) => service === name);
  if (!key) throw new Error(`${name} has no key`);
  return { ...key, common: keys.filter(({ service }) => service === commonName) };
}

/** Credits late money to the shop, in the name of an operator. @returns the entry's revision */
async function plant({ data, metadata }: StoredEvent, signer: EventSigner): Promise<number> {
  const newest = (await readEntries()).at(-1);
  if (!newest) throw new Error('the ledger has entries');
  const { shop_id, currency, cause, provider, ...late } = data as Entry & { kind: 'suspense' };
  const { balance_after: before, reserved_after } = newest.data as Entry;
  const entry = {
    shop_id,
    currency,
    cause,
    provider,
    reserved_after,
    kind: 'resolution',
    operation_id: late.operation_id,
    leg_id: late.leg_id,
    resolution: 'credit_shop',
    note: 'n',
    legs: [
      { account: 'suspense', amount: '-6.00' },
      { account: 'balance', amount: '6.00' },
    ],
    balance_after: sum([before, '6.00']),
  };
  const event = {
    id: newId(),
    type: 'EntryPosted',
    data: entry,
    metadata: {
      correlation_id: newId(),
      causation_id: metadata.causation_id ?? '',
      actor: 'operator:admin',
      token_id: 'first',
      schema_version: newestVersion('EntryPosted'),
    },
  };
  const stream = ledgerStream(shop_id, currency);
  const { revision: expectedRevision } = newest;
  const store = signAppends(openStore(), signer);
  const appended = await store.append({ stream, expectedRevision, events: [event] });
  expect(appended.outcome).toBe('appended');
  return expectedRevision + 1;
}

/** Operators decide on what the read model of late facts has. */
const waitUntilListed = (entryId: string | undefined) =>
  eventually('it is listed', async () => {
    const { body } = await askAdmin(stack, 'GET', `/suspense?shop_id=${merchant.shopId}`);
    return body.entries.some((entry: { entry_id: string }) => entry.entry_id === entryId);
  });

async function command(path: string, body: object) {
  const { status } = await askAdmin(stack, 'POST', path, body);
  expect(status).toBeLessThan(300);
}

it('has the key of each entry’s requester, and a decision with a stolen key is found (R18.17)', async () => {
  const paid = (await merchant.pay('paid')).body.operation_id as string;
  await commandSandbox(stack.urls.sandbox, paid);
  await eventually('it is credited', async () => (await merchant.balance()) === '97.50');
  for (let count = 0; count < 4; count += 1) {
    const adjustment = {
      adjustment_id: `a-${count}`,
      currency: 'RUB',
      amount: '10.00',
      reason: 'r',
    };
    await command(`/shops/${merchant.shopId}/adjustments`, adjustment);
    const { body } = await merchant.payOut(`out-${count}`, '5.00');
    await commandSandbox(stack.urls.sandbox, body.operation_id);
  }
  const late = await receiveLateMoney(paid, '7.00');
  await waitUntilListed(late.metadata.causation_id);
  const credited = { resolution: 'credit_shop', note: 'n' };
  await command(`/suspense/${late.metadata.causation_id}/resolve`, credited);
  const suspended = await receiveLateMoney(paid, '6.00');
  const countCaptures = async () =>
    (await readEntries()).filter(({ data }) => (data as Entry).kind === 'capture').length;
  await eventually('all are captured', async () => (await countCaptures()) === 4);
  await expectAuditToPass(stack.dataDir);

  const revision = await plant(suspended, stolenKey('webhooks'));
  const run = await runAuditProcess(['--json'], { DATA_DIR: stack.dataDir });
  expect(run.code).toBe(1);
  expect(auditReportOf(run)?.findings).toEqual([
    expect.objectContaining({
      rule: 'authority.signer',
      stream: ledgerStream(merchant.shopId, 'RUB'),
      revision,
    }),
  ]);
});
