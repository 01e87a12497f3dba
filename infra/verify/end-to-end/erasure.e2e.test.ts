import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stackForFile } from '#infra/verify/harness/stacks/test-stack.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { expectAuditToPass } from '#services/audit/testing/run-audit.ts';
import { decodePersonalKeyEvent, personalKeyStream } from '#shared/domain/personal-data/events.ts';
import { readStackStream } from '#infra/verify/harness/stores/store.ts';
import { newId } from '#shared/platform/ids.ts';
import { personalKeyId } from '#shared/application/personal-data/keys.ts';
import { askAdmin, commandSandbox, merchantForFile } from '#infra/verify/harness/shops/merchant.ts';

const stack = stackForFile();
const merchant = merchantForFile(stack, { routes: [{}, { type: 'payout' }] });

const recipient = { name: 'Тайная Персона', number: '2200709912345678' };
const address = '203.0.113.213';
const metadata = { 'order.note': 'Тайная пометка' };

/**
 * The files of a stack that contain any of the texts, except the provider's: it may store
 * what it receives.
 */
function filesWith(texts: readonly string[], folder = stack.dataDir): string[] {
  const wanted = texts.map((text) => Buffer.from(text));
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !path.startsWith(join(stack.dataDir, 'sandbox-provider')) && existsSync(path))
    .filter((path) => {
      const content = readFileSync(path);
      return wanted.some((text) => content.includes(text));
    });
}

const admin = (method: string, path: string, body?: object) => askAdmin(stack, method, path, body);
const create = (path: string, body: object) =>
  merchant.call('POST', `/v1/${path}`, {
    merchant_operation_id: newId(),
    method: 'WT_RUB_C2C',
    amount: '100.00',
    currency: 'RUB',
    ...body,
  });
const settle = (operationId: string) => commandSandbox(stack.urls.sandbox, operationId);
const isCompleted = (operationId: string) => merchant.waitForStatus(operationId, ['completed']);

/** The statement up to a time, once a checkpoint covers it. */
async function statement(to: string) {
  const path = `/v1/statements?currency=RUB&from=2026-01-01T00:00:00Z&to=${to}`;
  const read = () => merchant.call('GET', path);
  const isCovered = async () => (await read()).status === 200;
  await eventually('a checkpoint covers it', isCovered, { intervalMs: 200 });
  return (await read()).body;
}

describe('personal data in a stack', () => {
  const clientId = newId();
  const operations: string[] = [];
  let wrapped = '';

  it('is in no file except the provider’s', async () => {
    const payment = await create('payment', { client_id: clientId, client_ip: address, metadata });
    expect(payment.status).toBe(200);
    await settle(payment.body.operation_id);
    await isCompleted(payment.body.operation_id);
    const payout = await create('payout', { client_id: clientId, ...recipient });
    expect(payout.body).toMatchObject({ status: 'pending', name: recipient.name });
    await settle(payout.body.operation_id);
    await isCompleted(payout.body.operation_id);
    operations.push(payment.body.operation_id, payout.body.operation_id);
    await merchant.waitForDelivery(({ operationId }) => operationId === payout.body.operation_id);
    const { number, name } = payment.body;
    const secrets = [number, name, address, recipient.name, recipient.number];
    expect(filesWith([...secrets, metadata['order.note']])).toEqual([]);
    const stream = personalKeyStream(personalKeyId({ shopId: merchant.shopId, clientId }, 0));
    const [key] = await readStackStream(stack, stream);
    const created = decodePersonalKeyEvent(
      key ?? { type: '', data: {}, metadata: { schema_version: 1 } },
    );
    if (created.type === 'PersonalKeyCreated') ({ wrapped } = created.data);
    expect(filesWith([wrapped]).length).toBeGreaterThan(0);
  });

  it('is absent from metadata after an erasure; statements stay (R3.11, R25.5)', async () => {
    const other = newId();
    const { body } = await create('payment', { client_id: other, metadata });
    const id: string = body.operation_id;
    expect((await merchant.state({ operation_id: id })).body).toMatchObject({ metadata });
    await settle(id);
    await isCompleted(id);
    const completedMs = Date.now();
    // The entry may have the present millisecond, and the end of a period is exclusive.
    await eventually('a later time', () => Date.now() > completedMs);
    const to = new Date().toISOString();
    const before = await statement(to);
    expect(before.entries.at(-1)).toMatchObject({ operation_id: id, kind: 'credit' });
    await admin('POST', `/shops/${merchant.shopId}/erasures`, { client_id: other });
    const isErasedEverywhere = async () =>
      !('metadata' in (await merchant.state({ operation_id: id })).body);
    await eventually('it is forgotten', isErasedEverywhere, { intervalMs: 500 });
    const operation = (await admin('GET', `/operations/${id}`)).body;
    expect(operation).toMatchObject({ personal_data: 'erased' });
    expect(operation).not.toHaveProperty('metadata');
    const listed = await merchant.call('GET', `/v1/operations?client_id=${other}`);
    expect(listed.body.operations).toMatchObject([{ operation_id: id }]);
    expect(listed.body.operations[0]).not.toHaveProperty('metadata');
    expect(await statement(to)).toEqual(before);
  });

  // Every process must drop the cached key, and the store overwrites once a minute: too slow for
  // every run.
  it.runIf(process.env['THOROUGH'])(
    'is erased permanently, even if the admin service is killed (R17.7)',
    async () => {
      const begun = await admin('POST', `/shops/${merchant.shopId}/erasures`, {
        client_id: clientId,
      });
      expect(begun).toMatchObject({ status: 202, body: { status: 'in_progress' } });
      stack.kill('admin', 'SIGKILL');
      await stack.waitReady();
      const path = `/shops/${merchant.shopId}/erasures/${begun.body.erasure_id}`;
      const isErased = async () =>
        (await admin('GET', path).catch(() => undefined))?.body.status === 'erased';
      await eventually('the data is erased', isErased, { intervalMs: 500 });
      expect((await admin('GET', path)).body).toMatchObject({
        operations: 2,
        operations_in_clear: 0,
      });
      const isErasedEverywhere = async () => {
        const states = await Promise.all(
          operations.map((id) => merchant.state({ operation_id: id })),
        );
        return states.every(
          ({ status, body }) => status === 200 && !('number' in body) && !('name' in body),
        );
      };
      await eventually('no process shows it', isErasedEverywhere, { intervalMs: 500 });
      await expectAuditToPass(stack.dataDir);
    },
  );

  it.runIf(process.env['THOROUGH'])('leaves no byte of its key in any file', async () => {
    await expect.poll(() => filesWith([wrapped]), { interval: 2_000 }).toEqual([]);
    await expectAuditToPass(stack.dataDir);
  });
});
