import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { readShop } from '#shared/application/directory/command-shop.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import {
  confirmPayoutBatch,
  createRuns,
  readStandstillMs,
} from '#shared/application/payout-batches/batches.ts';
import { KeyUnreadable } from '#shared/application/personal-data/key-ring.ts';
import { personalKeyId } from '#shared/application/personal-data/keys.ts';
import type { PersonalData } from '#shared/application/personal-data/personal-data.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { memberActor } from '#shared/domain/member/events.ts';
import {
  payoutBatchStream,
  payoutRowsStream,
  payoutRunsStream,
  type PayoutBatchEvent,
} from '#shared/domain/payout-batch/events.ts';
import { personalKeyStream } from '#shared/domain/personal-data/events.ts';
import { NO_STREAM } from '#shared/platform/event-store/index.ts';
import { StoreUnavailable } from '#shared/platform/event-store/store-unavailable.ts';
import { canonicalJson, newId } from '#shared/platform/ids.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
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
  const pay = async (id: string) => {
    const [client_id, method, amount, currency, number, name] = rowOf(id).split(',').slice(1);
    const request = {
      merchant_operation_id: id,
      client_id,
      method,
      amount,
      currency,
      number,
      name,
    };
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const post = { method: 'POST', headers, body: JSON.stringify(request) };
    const response = await on.request('/v1/payout', post);
    return { status: response.status, body: await response.json() };
  };
  return { call, send, confirm, done, pay };
}

/** How long one of those batches stands still at that time, by default a minute from now. */
async function standsStillMs(
  batchIds: string | readonly string[],
  nowMs = Date.now() + 60_000,
): Promise<number> {
  const runs = await createRuns(started.store).current();
  const running = new Map([...runs.running].filter(([id]) => batchIds.includes(id)));
  return readStandstillMs(started.store, { ...runs, running }, nowMs);
}

/** A worker that opens rows so, and takes over what others left at each second poll. */
function workerOpening(openText: (open: PersonalData['openText']) => PersonalData['openText']) {
  let nowMs = 0;
  const lines: string[] = [];
  const logger = createLogger('test', 'debug', { write: (line) => void lines.push(line) });
  const created: BatchWorker[] = [];
  instance({
    batchWorker: (dependencies) => {
      const { personal } = dependencies;
      const changed = { ...personal, openText: openText(personal.openText) };
      const options = { polls: false, now: () => nowMs };
      const worker = createBatchWorker({ ...dependencies, personal: changed, logger }, options);
      created.push(worker);
      workers.push(worker);
      return worker;
    },
  });
  const poll = async () => {
    nowMs += 60_000;
    await created[0]?.poll();
  };
  return { poll, lines };
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

  it('has each error with its row, from 1 below the header, and what is wrong (R24.1, R24.5)', async () => {
    const { send, call } = await client();
    const { body } = await send(fileOf(rowOf(newId()), rowOf(newId(), '1')));
    const detail = expect.stringContaining('1500.00') as string;
    const errors = [{ row: 2, pointer: '/amount', code: 'amount_invalid', detail }];
    expect(body).toMatchObject({ rows: 2, errors });
    expect((await call(`/${body.batch_id}`)).body).toMatchObject({ errors });
  });

  it('accepts only CSV and .xlsx', async () => {
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
    expect(lines[0]).toBe(
      'row,merchant_operation_id,operation_id,status,code,operation_status,decline_reason',
    );
    expect(lines.slice(1).map((line) => line.split(',').slice(0, 2))).toEqual([
      ['1', ids[0]],
      ['2', ids[1]],
    ]);
    expect(lines.map((line) => line.split(',').slice(3, 5).join(' ')).toSorted()).toEqual([
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
    await eventually('it is finished', finished);
    const { revision } = await runs.current();
    const origin = { actor: memberActor('boris'), correlationId: 'test' };
    const older = { current: async () => beforeItsRun };
    const ports = { store, receipts, personal: testPersonalData(store), runs: older };
    await confirmPayoutBatch(ports, { batchId, shop, origin });
    // Other files of tests confirm batches in the same log.
    const later = await store.read(payoutRunsStream, { fromRevision: revision + 1 });
    expect(later.map(({ data }) => data)).not.toContainEqual(
      expect.objectContaining({ batch_id: batchId }),
    );
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
    expect(text).not.toMatch(/2200 1234|22001234|Petrov/);
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

  it('fails a row that can not be created, and goes on (R24.11)', async () => {
    const { shopId, call } = await client();
    const { store } = started;
    const batchId = newId();
    const of = { batch_id: batchId, shop_id: shopId };
    const sealer = await testPersonalData(store).sealer({ shopId, clientId: 'client-1' });
    const rows = [1, 2, 3].map((number) => {
      const fields = canonicalJson({ number: '2200 1234 5678 9010', name: 'Ivan Petrov' });
      const about = `${batchId} row ${number}`;
      return {
        merchant_operation_id: newId(),
        client_id: 'client-1',
        method: 'WT_RUB_C2C',
        amount: '10.00',
        currency: 'RUB',
        sealed: sealer.text(about, number === 2 ? 'no JSON' : fields),
      };
    });
    const origin = { actor: memberActor('anna'), correlationId: 'test' };
    const append = (stream: string, expectedRevision: number, event: PayoutBatchEvent) =>
      store.append({ stream, expectedRevision, events: toNewEvents([event], origin) });
    const checked = { ...of, rows: rows.length, total: { RUB: '30.00' }, errors: [] };
    await append(payoutRowsStream(batchId), NO_STREAM, {
      type: 'PayoutBatchRowsStored',
      data: { ...of, rows },
    });
    await append(payoutBatchStream(batchId), NO_STREAM, {
      type: 'PayoutBatchChecked',
      data: checked,
    });
    const { revision } = await createRuns(store).current();
    await append(payoutRunsStream, revision, { type: 'PayoutBatchConfirmed', data: of });
    expect(await standsStillMs(batchId)).toBeGreaterThan(0);
    let nowMs = 0;
    const patient: BatchWorker[] = [];
    instance({
      batchWorker: (dependencies) => {
        const worker = createBatchWorker(dependencies, { polls: false, now: () => nowMs });
        patient.push(worker);
        return worker;
      },
    });
    const [worker] = patient;
    const progress = async () => {
      nowMs += 60_000;
      await worker?.poll();
      return (await call(`/${batchId}`)).body;
    };
    await expect.poll(progress).toMatchObject({ status: 'done', created: 2, failed: 1 });
    const { text } = await call(`/${batchId}/result.csv`);
    expect(text).toMatch(/,created,,,\r\n.*,failed,internal_error,,\r\n.*,created,,,\r\n$/);
    await worker?.stop();
    const finished = async () => (await standsStillMs(batchId)) === 0;
    await eventually('it is finished', finished);
  });

  it.each([
    ['a key', () => new KeyUnreadable('PERSONAL_DATA_KEY_PREVIOUS lacks it')],
    ['the log', () => new StoreUnavailable('no answer from the event store')],
    ['an answer of the log', () => new Error('the event store ended the read')],
  ])('waits while %s can not be read, however often that fails (R24.11)', async (_, error) => {
    const { send, on, call } = await client();
    const { body } = await send(fileOf(rowOf(newId())));
    await on(instance()).confirm(body.batch_id);
    let tries = 0;
    const { poll } = workerOpening((open) => async (sealed, about) => {
      if (!about.startsWith(body.batch_id)) return open(sealed, about);
      tries += 1;
      if (tries <= 5) throw error();
      return open(sealed, about);
    });
    const progress = async () => {
      await poll();
      return (await call(`/${body.batch_id}`)).body;
    };
    await expect.poll(progress).toMatchObject({ status: 'done' });
    expect((await call(`/${body.batch_id}`)).body).toMatchObject({ created: 1, failed: 0 });
  });

  it('orders no payout of a row that failed, by whoever began it (R24.3)', async () => {
    const { send, on, call, shopId, pay } = await client();
    const ids = [newId(), newId()];
    const { body } = await send(fileOf(...ids.map((id) => rowOf(id))));
    await on(instance()).confirm(body.batch_id);
    const isLogged = (lines: string[]) => lines.some((line) => line.includes('"row":2,'));
    const { poll, lines } = workerOpening((open) => async (sealed, about) => {
      if (about === `${body.batch_id} row 2`) JSON.parse('Petrov 2200');
      if (about === `${body.batch_id} row 1` && (tries += 1) === 3) {
        await eventually('row 2 has failed', () => isLogged(lines));
        // The file has no result yet.
        ordered = await pay(ids[1] ?? '');
      }
      return open(sealed, about);
    });
    let tries = 0;
    let ordered: unknown;
    const progress = async () => {
      await poll();
      return (await call(`/${body.batch_id}`)).body;
    };
    await expect.poll(progress).toMatchObject({ status: 'done', created: 1, failed: 1 });
    const mismatch = { status: 412, body: { code: 'idempotency_body_mismatch' } };
    expect(ordered).toMatchObject(mismatch);
    const failed = lines.filter((line) => line.includes('"level":"error"'));
    expect(failed.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ batchId: body.batch_id, row: 2, error: 'SyntaxError' }),
    ]);
    expect(lines.filter((line) => line.includes(shopId) || line.includes('Petrov'))).toEqual([]);
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
    expect(text).toMatch(/,failed,personal_data_erased,,\r\n$/);
  });

  it('stands not still while it waits for its turn behind four that get results (R24.11)', async () => {
    const { store } = started;
    const other = instance();
    /** A confirmed file that no instance works on. */
    const confirmed = async () => {
      const { send, on, shopId } = await client();
      const id = newId();
      const { body } = await send(fileOf(rowOf(id), rowOf(newId())));
      await on(other).confirm(body.batch_id);
      return { shopId, id, batchId: body.batch_id as string };
    };
    const resultMs: number[] = [];
    const begin = async ({ shopId, id, batchId }: Awaited<ReturnType<typeof confirmed>>) => {
      const results = [{ merchant_operation_id: id, operation_id: newId() }];
      const data = { batch_id: batchId, shop_id: shopId, results };
      const result: PayoutBatchEvent = { type: 'PayoutBatchRowsCreated', data };
      const events = toNewEvents([result], { actor: 'service:test', correlationId: 'test' });
      await store.append({ stream: payoutBatchStream(batchId), expectedRevision: 0, events });
      const [newest] = await store.read(payoutBatchStream(batchId), { direction: 'backwards' });
      resultMs.push(newest?.created.getTime() ?? 0);
    };
    const waiting = await confirmed();
    const nowMs = Date.now() + 60_000;
    const alone = await standsStillMs(waiting.batchId, nowMs);
    const files = [waiting];
    for (const count of [1, 2, 3, 4]) {
      const file = await confirmed();
      await begin(file);
      files.push(file);
      const still = await standsStillMs(
        files.map(({ batchId }) => batchId),
        nowMs,
      );
      expect(still).toBe(count < 4 ? alone : nowMs - Math.min(...resultMs));
    }
    expect(nowMs - Math.min(...resultMs)).toBeLessThan(alone);
  });
});
