import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { waitUntil } from '#infra/process/wait-until.ts';
import { readShop } from '#shared/application/directory/command-shop.ts';
import { confirmPayoutBatch, createRuns } from '#shared/application/payout-batches/batches.ts';
import { personalKeyId } from '#shared/application/personal-data/keys.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { memberActor } from '#shared/domain/member/events.ts';
import {
  payoutBatchStream,
  payoutRowsStream,
  payoutRunsStream,
} from '#shared/domain/payout-batch/events.ts';
import { personalKeyStream } from '#shared/domain/personal-data/events.ts';
import { newId } from '#shared/platform/ids.ts';
import { useInstances } from '../testing/instances.ts';
import { setUpShop } from '../testing/shop.ts';
import type { Api } from '../testing/client.ts';
import { createBatchWorker, type BatchWorker } from './worker.ts';

const { started, instance, receipts } = useInstances(() => inject('eventStoreUrl'));
const workers: BatchWorker[] = [];
const working = () =>
  instance({
    batchWorker: (dependencies) => {
      const worker = createBatchWorker(dependencies, { polls: false });
      workers.push(worker);
      return worker;
    },
  });
let api: Api;
beforeAll(() => {
  api = working();
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
});

const header = 'merchant_operation_id,client_id,method,amount,currency,number,name,bankname';
const rowOf = (id: string, amount = '10.00') =>
  `${id},client-1,WT_RUB_C2C,${amount},RUB,2200 1234 5678 9010,Ivan Petrov,`;
const fileOf = (...rows: string[]) => `${[header, ...rows].join('\r\n')}\r\n`;
const route = { type: 'payout' };

async function client(overdraft?: string) {
  const limits = overdraft === undefined ? {} : { overdraftLimits: { RUB: overdraft } };
  const { shopId, apiKey } = await setUpShop(started.store, { routes: [route], ...limits });
  return { shopId, ...clientOf(api, apiKey), on: (other: Api) => clientOf(other, apiKey) };
}

function clientOf(on: Api, apiKey: string) {
  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { 'x-api-key': apiKey, ...(init.headers as Record<string, string>) };
    const response = await on.request(`/v1/payout-batches${path}`, { ...init, headers });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return { status: response.status, text, body: isJson ? JSON.parse(text) : undefined };
  };
  const send = (body: string, type = 'text/csv') =>
    call('', { method: 'POST', body, headers: { 'content-type': type } });
  const confirm = (id: string) => call(`/${id}/confirm`, { method: 'POST' });
  const done = async (id: string) =>
    expect
      .poll(async () => (await call(`/${id}`)).body)
      .toMatchObject({
        status: 'done',
      });
  return { call, send, confirm, done };
}

describe('a payout batch', () => {
  it('is validated as a whole; the same file returns the same batch (R24.1)', async () => {
    const { send, call } = await client();
    const file = fileOf(rowOf(newId()), rowOf(newId(), '0.50'));
    const first = await send(file);
    expect(first).toMatchObject({ status: 201 });
    expect(first.body).toEqual({
      batch_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'checked',
      rows: 2,
      total: { RUB: '10.50' },
      errors: [],
    });
    expect((await send(file, 'text/csv; charset=utf-8')).body).toEqual(first.body);
    const other = await send(file.replace('9010', '9028'));
    expect(other.body.batch_id).not.toBe(first.body.batch_id);
    expect((await call(`/${first.body.batch_id}`)).body).toMatchObject({
      status: 'checked',
      created: 0,
      failed: 0,
    });
    const stranger = await client();
    expect(await stranger.call(`/${first.body.batch_id}`)).toMatchObject({ status: 404 });
    expect(await stranger.confirm(first.body.batch_id)).toMatchObject({ status: 404 });
  });

  it('accepts only text/csv', async () => {
    const { send } = await client();
    expect(await send(fileOf(rowOf('a')), 'application/json')).toMatchObject({ status: 415 });
  });

  it('creates one payout per row, with a result for each (R24.3)', async () => {
    const { send, confirm, call, done } = await client('15.00');
    const ids = [newId(), newId()];
    const { body } = await send(fileOf(...ids.map((id) => rowOf(id))));
    expect(await confirm(body.batch_id)).toMatchObject({
      status: 202,
      body: { status: 'running' },
    });
    await done(body.batch_id);
    expect(await confirm(body.batch_id)).toMatchObject({ status: 202, body: { status: 'done' } });
    const after = await call(`/${body.batch_id}`);
    expect(after.body).toMatchObject({ created: 1, failed: 1 });
    const { text } = await call(`/${body.batch_id}/result.csv`);
    const lines = text.trimEnd().split('\r\n');
    expect(lines[0]).toBe('row,merchant_operation_id,operation_id,status,code');
    expect(lines.slice(1).map((line) => line.split(',')[1])).toEqual(ids);
    expect(lines.map((line) => line.split(',').slice(3).join(' ')).toSorted()).toEqual([
      'created ',
      'failed insufficient_funds',
      'status code',
    ]);
  });

  it('is not changed by a confirmation from a stale read after its completion (R24.2)', async () => {
    const { send, confirm, done, shopId } = await client();
    const { body } = await send(fileOf(rowOf(newId())));
    const batchId = body.batch_id;
    const { store } = started;
    const shop = await readShop(store, shopId);
    const runs = createRuns(store);
    const beforeItsRun = await runs.current();
    await confirm(batchId);
    await done(batchId);
    const finished = async () => !(await runs.current()).running.has(batchId);
    await waitUntil('it is finished', finished, { timeoutMs: 20_000 });
    const { revision } = await runs.current();
    const origin = { actor: memberActor('boris'), correlationId: 'test' };
    const older = { current: async () => beforeItsRun };
    const ports = { store, receipts, personal: testPersonalData(store), runs: older };
    await confirmPayoutBatch(ports, { batchId, shop, origin });
    expect((await runs.current()).revision).toBe(revision);
  });

  it('is recorded without numbers and names in clear (R24.4)', async () => {
    const { send } = await client();
    const { body } = await send(fileOf(rowOf(newId())));
    const streams = [payoutRowsStream, payoutBatchStream].map((of) => of(body.batch_id));
    const events = await Promise.all(
      [...streams, payoutRunsStream].map((stream) => started.store.read(stream)),
    );
    const text = JSON.stringify(events.flat().map(({ data }) => data));
    expect(text).toContain(body.batch_id);
    expect(text).not.toMatch(/2200|Petrov/);
  });

  it('is completed by another instance if the confirming one stops (R24.3)', async () => {
    const { send, confirm, call } = await client();
    const { body } = await send(fileOf(...Array.from({ length: 25 }, () => rowOf(newId()))));
    let nowMs = 0;
    const others: BatchWorker[] = [];
    instance({
      batchWorker: (dependencies) => {
        const worker = createBatchWorker(dependencies, { polls: false, now: () => nowMs });
        others.push(worker);
        return worker;
      },
    });
    const [first] = workers.splice(0);
    await first?.stop();
    await confirm(body.batch_id);
    const [second] = others;
    await second?.poll();
    nowMs = 60_000;
    // It works on four at a time, and other tests leave batches of their own in this log.
    const progress = async () => {
      await second?.poll();
      return (await call(`/${body.batch_id}`)).body;
    };
    await expect.poll(progress).toMatchObject({ status: 'done' });
    const { text } = await call(`/${body.batch_id}/result.csv`);
    expect(text.match(/,created,/g)).toHaveLength(25);
    await second?.stop();
  });

  it('fails a row whose client was erased after the confirmation (R24.4)', async () => {
    const { send, on, shopId } = await client();
    const { body } = await send(fileOf(rowOf(newId())));
    // An instance without a worker: the batch is confirmed, and no row is created.
    expect(await on(instance()).confirm(body.batch_id)).toMatchObject({ status: 202 });
    const keyId = personalKeyId({ shopId, clientId: 'client-1' }, 0);
    await started.store.tombstone(personalKeyStream(keyId));
    // This instance has not cached the key.
    const other = on(working());
    await other.confirm(body.batch_id);
    await other.done(body.batch_id);
    const { text } = await other.call(`/${body.batch_id}/result.csv`);
    expect(text).toMatch(/,failed,personal_data_erased\r\n$/);
  });
});
