import { createHash } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { ownLogForFile } from '#infra/verify/harness/stores/own-log.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import { readShop } from '#shared/application/directory/command-shop.ts';
import { operationIdFor } from '#shared/application/operations/operation-id.ts';
import { payoutFileColumns, xlsxType } from '#shared/application/payout-batches/read-file.ts';
import { workbookFile } from '#shared/application/payout-batches/testing/workbook-file.ts';
import { clientOfFiles } from '#shared/application/payout-batches/waiting-files.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { payoutBatchStream } from '#shared/domain/payout-batch/events.ts';
import { NO_STREAM } from '#shared/platform/event-store/index.ts';
import { canonicalJson, newId } from '#shared/platform/ids.ts';
import { inWindows1251 } from '#shared/application/statements/testing/bank-files.ts';
import type { Api } from '../testing/client.ts';
import { useInstances } from '../testing/instances.ts';
import { setUpShop } from '../testing/shop.ts';
import { createBatchWorker } from './worker.ts';

// Four batches run at once in a log, and those of other tests may wait for good.
const log = ownLogForFile();
const { started, instance } = useInstances(() => log.url);
let api: Api;
beforeAll(() => {
  const batchWorker = (dependencies: Parameters<typeof createBatchWorker>[0]) =>
    createBatchWorker(dependencies, { polls: false });
  api = instance({ batchWorker });
});

const number = '2200123456789010';
const rowOf = (id: string, changed: { amount?: string; number?: string } = {}) => {
  const { amount = '10.00', number: written = number } = changed;
  return [id, 'client-1', 'WT_RUB_C2C', amount, 'RUB', written, 'Иван', ''];
};
const csv = (row: readonly string[], separator = ',') =>
  `${payoutFileColumns.join(separator)}\r\n${row.join(separator)}\r\n`;

async function client() {
  const { shopId, apiKey } = await setUpShop(started.store, { routes: [{ type: 'payout' }] });
  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { 'x-api-key': apiKey, ...(init.headers as Record<string, string>) };
    const response = await api.request(`/v1/payout-batches${path}`, { ...init, headers });
    return { status: response.status, text: await response.text() };
  };
  const send = async (file: string | Uint8Array<ArrayBuffer>, type = 'text/csv') => {
    const request = { method: 'POST', body: file, headers: { 'content-type': type } };
    const { text } = await call('', request);
    return JSON.parse(text) as { batch_id: string; status: string; errors: unknown[] };
  };
  /** Confirms a file, and waits for its result. */
  const pay = async (id: string) => {
    expect(await call(`/${id}/confirm`, { method: 'POST' })).toMatchObject({ status: 202 });
    await expect.poll(async () => (await call(`/${id}`)).text).toContain('"done"');
    return (await call(`/${id}/result.csv`)).text;
  };
  return { shopId, send, pay };
}

it('the same rows are one batch in every form of a file (R24.17)', async () => {
  const { send, pay } = await client();
  const id = newId();
  const first = await send(csv(rowOf(id)));
  expect(first.errors).toEqual([]);
  const excel = rowOf(id, { amount: '10,00', number: '2200 1234 5678 9010' });
  const forms = [
    await send(Uint8Array.from(inWindows1251(csv(excel, ';')))),
    await send(Uint8Array.from(workbookFile([payoutFileColumns, excel])), xlsxType),
    await send(Uint8Array.from(workbookFile([payoutFileColumns, rowOf(id)]))),
  ];
  expect(forms).toEqual([first, first, first]);
  await pay(first.batch_id);
  expect(await send(csv(excel, '\t'))).toEqual({ ...first, status: 'done' });
});

it('an error names its cell, in the answer and later (R24.17)', async () => {
  const { send } = await client();
  const { errors } = await send(csv(rowOf(newId(), { amount: '10,0' }), ';'));
  expect(errors).toMatchObject([{ row: 1, pointer: '/amount', cell: 'D2' }]);
});

/** The id of a batch as gateways gave it until 2026-11-30. */
async function formerId(shopId: string, row: readonly string[]): Promise<string> {
  const { operationIdSecret } = await readShop(started.store, shopId);
  const sealer = await testPersonalData(started.store).sealer(clientOfFiles(shopId));
  const fields = payoutFileColumns.map((name, index) => [name, row[index]] as const);
  const body = Object.fromEntries(fields.filter(([, cell]) => cell !== ''));
  const content = `${canonicalJson([1, []])}\n${canonicalJson([body])}\n`;
  const digest = createHash('sha256').update(content).digest('hex');
  const { hmac } = sealer.bodyHash('payout file', digest);
  return operationIdFor(Buffer.from(operationIdSecret, 'hex'), `payout batch\n${hmac}`);
}

/** A file of one row, that was checked before and is paid now. */
async function paidBefore(written: string) {
  const { shopId, send, pay } = await client();
  const row = rowOf(newId(), { number: written });
  const batchId = await formerId(shopId, row);
  const about = { batch_id: batchId, shop_id: shopId, rows: 1, total: { RUB: '10.00' } };
  const data = { ...about, errors: [] };
  const origin = { actor: `shop:${shopId}`, correlationId: 'test' };
  await started.store.append({
    stream: payoutBatchStream(batchId),
    expectedRevision: NO_STREAM,
    events: toNewEvents([{ type: 'PayoutBatchChecked', data }], origin),
  });
  const { batch_id: again } = await send(csv(row));
  const result = await pay(again);
  return { send, pay, row, batchId, again, result };
}

it.each([
  ['with spaces', '2200 1234 5678 9010'],
  ['without', number],
])('a batch from before stays that of its file, with numbers %s (R24.17)', async (_, written) => {
  const { send, row, batchId, again, result } = await paidBefore(written);
  expect(again).toBe(batchId);
  expect(result).toContain(',created,');
  const repeated = await send(csv(row, ';'));
  expect(repeated).toMatchObject({ batch_id: batchId, status: 'done' });
});

it('another form of a file that was paid before is not paid (R24.17)', async () => {
  const { send, pay, row } = await paidBefore('2200 1234 5678 9010');
  const { batch_id: other } = await send(csv(rowOf(row[0] ?? '')));
  // Its number is another text, so its payout would be another request with the same key.
  expect(await pay(other)).toContain(',failed,idempotency_body_mismatch,');
});
