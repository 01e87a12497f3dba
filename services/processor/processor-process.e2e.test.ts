import { afterEach, expect, onTestFinished, test } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { commandSandbox } from '#infra/verify/harness/shops/merchant.ts';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { startTcpProxy } from '#infra/verify/harness/stores/tcp-proxy.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import { decodeLedgerEvent, ledgerStream } from '#shared/domain/ledger/events.ts';
import { operationEventSchemas, operationStream } from '#shared/domain/operation/events.ts';
import { createProviders } from '#shared/application/providers/index.ts';
import { environmentForFile } from './testing/environment.ts';
import { append, givenPayment, paymentRoute } from './testing/operations.ts';
import { spawnProcessor, type ServiceProcess } from './testing/process.ts';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

// The service as it is deployed, with the sandbox provider and a separate log.
const { store, sandbox, env } = environmentForFile();
const providers = forFile(() => createProviders(sandbox.config, logger));
let running: ServiceProcess | undefined;

afterEach(async () => {
  await running?.end('SIGTERM');
  running = undefined;
});

const soon = { interval: 50 };
const typesIn = (stream: string) => async () => (await store.read(stream)).map(({ type }) => type);
const settle = async (operationId: string, what: string, body: object) =>
  expect((await commandSandbox(sandbox.url, operationId, what, body)).status).toBe(200);

/**
 * A proxy to the server of that URL, on which nothing passes any more once `after` of these
 * requests have.
 */
async function throughHolding(url: string, isRequest: (chunk: Buffer) => boolean, after: number) {
  let passed = 0;
  const proxy = await startTcpProxy(url, (chunk) =>
    isRequest(chunk) && (passed += 1) > after ? 'hold' : 'pass',
  );
  onTestFinished(() => proxy.close());
  return proxy.url;
}

/** Submits the first attempt, as a create does, and records the response if `record` is set. */
async function submitted(record: boolean): Promise<string> {
  const operationId = await givenPayment(store, record ? {} : { acceptInMs: 0 });
  const [admitted] = await store.read(operationStream(operationId), { maxCount: 1 });
  if (admitted?.type !== 'OperationAdmitted') throw new Error('the operation has no admission');
  const { request: stored } = operationEventSchemas.OperationAdmitted.parse(admitted.data);
  const { client_ip: _address, destination: _destination, ...request } = stored;
  const answer = await connector().submit(
    {
      operationId,
      attempt: 1,
      type: 'payment',
      acceptUntil: new Date().toISOString(),
      request,
      route: paymentRoute,
    },
    { timeoutMs: waitLimitMs },
  );
  if (answer.outcome !== 'accepted') throw new Error(`not accepted: ${answer.outcome}`);
  if (record) {
    const data = {
      attempt: 1,
      provider_reference: answer.providerReference,
      confirmation_required: false,
    };
    await append(store, operationId, {
      events: [{ type: 'AttemptAccepted', data }],
      expectedRevision: 1,
    });
  }
  return operationId;
}
function connector() {
  const sandboxConnector = providers.providers.get('sandbox');
  if (!sandboxConnector) throw new Error('no sandbox connector');
  return sandboxConnector;
}

test('callbacks sent during an outage are accepted after it', async () => {
  const operationId = await submitted(true);
  await settle(operationId, 'settle', { result: 'completed' });
  running = await spawnProcessor(env);
  await expect.poll(typesIn(operationStream(operationId)), soon).toContain('OperationCompleted');
  expect(await typesIn(lateStream(operationId))()).toEqual([]);
});

test('after a kill in the middle of work, the next process takes each remaining step once', async () => {
  const operationIds = await Promise.all(Array.from({ length: 40 }, () => submitted(false)));
  const withdrawn = async () => {
    const streams = await Promise.all(operationIds.map((id) => store.read(operationStream(id))));
    return streams.filter((events) => events.at(-1)?.type === 'AttemptWithdrawn').length;
  };
  // Its calls to the provider stop halfway, so that it is killed there on any machine.
  const isWithdrawal = (chunk: Buffer) => chunk.includes('/withdraw HTTP');
  const SANDBOX_URL = await throughHolding(sandbox.url, isWithdrawal, operationIds.length / 2);
  running = await spawnProcessor({ ...env, SANDBOX_URL });
  await expect.poll(withdrawn, soon).toBeGreaterThan(0);
  await running.end('SIGKILL');
  const doneBefore = await withdrawn();
  running = await spawnProcessor(env);
  await expect.poll(withdrawn, soon).toBe(operationIds.length);
  expect(doneBefore).toBeLessThan(operationIds.length);
  for (const operationId of operationIds) {
    expect(await typesIn(operationStream(operationId))()).toEqual([
      'OperationAdmitted',
      'AttemptStarted',
      'AttemptUnresolved',
      'OperationDeclined',
      'AttemptWithdrawn',
    ]);
  }
  const history = await fetch(`${sandbox.url}/control/operations/${operationIds[0]}`);
  expect(await history.json()).toMatchObject({ cancels: [{ attempt: 1, status: 'withdrawn' }] });
});

test('after a kill between a return and its entry the next process posts each once (R13.18)', async () => {
  // Neither the first of the entries nor anything after it reaches the log.
  const isEntry = (chunk: Buffer) =>
    chunk.includes('EntryPosted') && chunk.includes('MoneyReturned');
  const EVENT_STORE_URL = await throughHolding(env['EVENT_STORE_URL'] ?? '', isEntry, 0);
  running = await spawnProcessor({ ...env, EVENT_STORE_URL });
  const operationIds = await Promise.all(Array.from({ length: 30 }, () => submitted(true)));
  await Promise.all(operationIds.map((id) => settle(id, 'settle', { result: 'completed' })));
  const ended = async () => {
    const streams = await Promise.all(operationIds.map((id) => typesIn(operationStream(id))()));
    return streams.filter((types) => types.includes('OperationCompleted')).length;
  };
  await expect.poll(ended, soon).toBe(operationIds.length);
  const backs = async () => {
    const streams = await Promise.all(operationIds.map((id) => typesIn(lateStream(id))()));
    return streams.flat().filter((type) => type === 'MoneyReturned').length;
  };
  const posted = async () =>
    (await store.read(ledgerStream('shop', 'RUB')))
      .map((event) => decodeLedgerEvent(event).data)
      .filter((entry) => entry.kind === 'suspense' && operationIds.includes(entry.operation_id));
  await Promise.all(operationIds.map((id) => settle(id, 'return', { amount: '30.00' })));
  await expect.poll(backs, soon).toBeGreaterThan(0);
  await running.end('SIGKILL');
  expect((await posted()).length).toBeLessThan(operationIds.length);
  running = await spawnProcessor(env);
  await expect.poll(async () => (await posted()).length, soon).toBe(30);
  expect(await backs()).toBe(30);
  const entries = await posted();
  expect(new Set(entries.map((entry) => entry.kind === 'suspense' && entry.of_leg_id)).size).toBe(
    30,
  );
  const moves = [
    { account: 'provider', amount: '30.00' },
    { account: 'suspense', amount: '-30.00' },
  ];
  for (const entry of entries) expect(entry).toMatchObject({ cause: 'MoneyReturned', legs: moves });
});
