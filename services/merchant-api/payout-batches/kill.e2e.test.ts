import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { connectRawLog } from '#shared/platform/event-store/reading/raw-log.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { auditLog } from '#services/audit/testing/audit-log.ts';
import { environmentForFile } from '#services/processor/testing/environment.ts';
import { spawnService, type ServiceProcess } from '#services/processor/testing/process.ts';
import { givenShop } from '#services/processor/testing/shop.ts';
import { operationStream } from '#shared/domain/operation/events.ts';

// The merchant API as it is deployed, in a process that is killed with -9 while a batch runs.

const { store, env } = environmentForFile();
let gateway: ServiceProcess;
/** Finishes the creates that a kill interrupts. */
let processor: ServiceProcess;
beforeAll(async () => {
  processor = await spawnService('processor', env);
  gateway = await spawnService('merchant-api', env);
});
afterAll(async () => {
  await Promise.all([gateway.end('SIGTERM'), processor.end('SIGTERM')]);
});

const rows = 120;
const header = 'merchant_operation_id,client_id,method,amount,currency,number,name,bankname';
const file = Array.from(
  { length: rows },
  (_, at) => `row-${at},client-${at % 7},WT_RUB_C2C,10.00,RUB,2200 1234 5678 9010,,`,
);

async function auditWholeLog() {
  const raw = connectRawLog(env['EVENT_STORE_URL'] ?? '');
  const events: RawEvent[] = [];
  for await (const batch of raw.read(0)) events.push(...batch);
  await raw.close();
  const { findings } = await auditLog(events, { nowMs: Date.now() });
  // The test sets the shop up itself, without an operator.
  return findings.filter(({ stream }) => !/^(shop-|directory$)/.test(stream));
}

it('a batch continues after kill -9 at any time, and creates no payout twice (R24.3)', async () => {
  const shop = await givenShop(store, [{}]);
  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { 'x-api-key': shop.apiKey, 'content-type': 'text/csv' };
    const url = `${gateway.url}/v1/payout-batches${path}`;
    const response = await fetch(url, { ...init, headers });
    return response.text();
  };
  const checked = JSON.parse(
    await call('', { method: 'POST', body: [header, ...file].join('\n') }),
  );
  const id: string = checked.batch_id;
  const progress = async () => JSON.parse(await call(`/${id}`));
  const until = (what: string, holds: (at: { status: string; created: number }) => boolean) =>
    eventually(what, async () => holds(await progress()), { intervalMs: 20 });

  await call(`/${id}/confirm`, { method: 'POST' });
  for (const some of [1, 40]) {
    await until(`${some} rows are created`, ({ created }) => created >= some);
    await gateway.end('SIGKILL');
    gateway = await spawnService('merchant-api', env);
  }
  await until('the batch is done', ({ status }) => status === 'done');

  const { created, failed } = await progress();
  expect(created + failed).toBe(rows);
  // Only rows that were in progress at a kill may fail.
  expect(failed).toBeLessThanOrEqual(2 * 5);
  const lines = (await call(`/${id}/result.csv`)).trimEnd().split('\r\n').slice(1);
  expect(lines.map((line) => line.split(',').slice(0, 3).join(' '))).toEqual(
    file.map((_, at) => `${at + 1} row-${at} ${shop.operationIdOf(`row-${at}`)}`),
  );
  for (const at of file.keys()) {
    const events = await store.read(operationStream(shop.operationIdOf(`row-${at}`)));
    expect(events.filter(({ type }) => type === 'OperationAdmitted')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'AttemptStarted')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'AttemptAccepted').length).toBeLessThan(2);
  }
  expect(await auditWholeLog()).toEqual([]);
});
