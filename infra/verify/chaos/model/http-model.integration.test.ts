import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { findFreePort } from '#infra/process/free-port.ts';
import { createDatabase, type TestDatabase } from '#infra/verify/harness/database.ts';
import { connectEventStore, type EventStore } from '#shared/platform/event-store/index.ts';
import { spawnService, type ServiceProcess } from '#services/processor/testing/process.ts';
import { givenShop } from '#services/processor/testing/shop.ts';
import { startTestSandbox, type TestSandbox } from '#services/sandbox-provider/testing/start.ts';
import { amounts, keyNames, receipts, type Command, type Key } from './commands.ts';
import { play, routes } from './play.ts';

// Two instances of the merchant API and a processor, each as it is deployed. A failure names its
// seed and path; another seed, and more of it: MODEL_SEED=7 MODEL_SECONDS=60.
const seed = Number(process.env['MODEL_SEED'] ?? 20_260_131);
const forMs = Number(process.env['MODEL_SECONDS'] ?? 6) * 1_000;

let store: EventStore;
let database: TestDatabase;
let sandbox: TestSandbox;
let services: ServiceProcess[] = [];

beforeAll(async () => {
  store = connectEventStore(inject('eventStoreUrl'));
  database = await createDatabase();
  const processorPort = await findFreePort();
  sandbox = await startTestSandbox({
    callbackUrl: `http://127.0.0.1:${processorPort}/callbacks/sandbox`,
  });
  const ports = new Set([processorPort]);
  const env = async () => {
    const port = await findFreePort(ports);
    ports.add(port);
    return {
      PROCESSOR_PORT: String(processorPort),
      GATEWAY_PORT: String(port),
      EVENT_STORE_URL: inject('eventStoreUrl'),
      DATABASE_URL: database.url,
      PAY_BASE_URL: 'http://pay.test',
      RECEIPT_URL_SECRET: 'a-secret-of-the-receipt-links',
      ...sandbox.config,
    };
  };
  const [one, two] = [await env(), await env()];
  services = await Promise.all([
    spawnService('merchant-api', one),
    spawnService('merchant-api', two),
    spawnService('processor', one),
  ]);
}, 120_000);
afterAll(async () => {
  await Promise.all(services.map((service) => service.end('SIGTERM')));
  await sandbox?.stop();
  await store?.close();
  await database?.drop();
});

const by = fc.constantFrom(0, 1);
const named = fc.constantFrom('key' as const, 'id' as const);
const link = fc.boolean();
const amount = fc.constantFrom(amounts[0], amounts[0], amounts[0], ...amounts);
const result = fc.constantFrom('completed' as const, 'completed' as const, 'declined' as const);
const receipt = fc.constantFrom(...receipts);

/** Commands about few operations, so that they get in each other's way. */
function commandsOn(keys: readonly Key[]): fc.Arbitrary<Command> {
  const key = fc.constantFrom(...keys);
  const what = <What extends Command['do']>(name: What) => fc.constant(name);
  const confirms = keys.some((each) => each === 'receipt');
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: what('create'), key, amount, link, by }) },
    { weight: 2, arbitrary: fc.record({ do: what('cancel'), key, named, by }) },
    { weight: 2, arbitrary: fc.record({ do: what('settle'), key, result }) },
    { weight: 2, arbitrary: fc.record({ do: what('read'), key, named, by }) },
    { weight: confirms ? 3 : 1, arbitrary: fc.record({ do: what('confirm'), key, receipt, by }) },
    { weight: 1, arbitrary: fc.record({ do: what('balances'), by }) },
  );
}

/**
 * Most runs begin with operations that are there, and perhaps with their receipts: what comes to
 * those is the most.
 */
const groups = fc
  .record({
    keys: fc.uniqueArray(fc.constantFrom(...keyNames), { minLength: 1, maxLength: 3 }),
    opening: fc.constantFrom(2, 2, 2, 1, 1, 0),
    receipt,
  })
  .chain(({ keys, opening, receipt: first }) => {
    const creates = keys.map((key): Command => ({
      do: 'create',
      key,
      amount: amounts[0],
      link: false,
      by: 0,
    }));
    const confirm: Command = { do: 'confirm', key: 'receipt', receipt: first, by: 1 };
    const openings = [creates, ...(keys.includes('receipt') ? [[confirm]] : [])].slice(0, opening);
    const group = fc.array(commandsOn(keys), { minLength: 1, maxLength: 4, size: 'max' });
    return fc
      .array(group, { minLength: 1, maxLength: 6, size: 'max' })
      .map((each) => [...openings, ...each]);
  });

it(
  'whatever is asked at once, some order of it explains every answer',
  async () => {
    let played = 0;
    const property = fc.asyncProperty(groups, async (each) => {
      const { apiKey } = await givenShop(store, routes, { overdraft_limits: { RUB: '12.00' } });
      const [first = '', second = ''] = services.map(({ url }) => url);
      await play({ gateways: [first, second], sandbox: sandbox.url, apiKey }, each);
      played += 1;
    });
    const limits = { interruptAfterTimeLimit: forMs, markInterruptAsFailure: false };
    await fc.assert(property, { seed, numRuns: 1_000_000, ...limits });
    // A machine that got nowhere has shown nothing.
    expect(played).toBeGreaterThan(0);
  },
  forMs + 120_000,
);
