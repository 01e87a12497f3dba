import { setTimeout as delay } from 'node:timers/promises';
import { adjust } from '#shared/application/ledger/adjust.ts';
import { resolveSuspense } from '#shared/application/ledger/resolve-suspense.ts';
import { decodeLateEvent, lateStream } from '#shared/domain/late/events.ts';
import { isLateMoney, toSuspense } from '#shared/domain/late/suspense.ts';
import { moneyDirection } from '#shared/domain/ledger/direction.ts';
import { isTerminalEventType, operationStream } from '#shared/domain/operation/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import type { Random } from '#infra/verify/harness/tests/random.ts';
import type { Cluster } from '../cluster.ts';
import type { SimulatedLog } from '../log.ts';
import type { SimulatedOperation } from './merchant.ts';
import type { SimulatedShop } from './shops.ts';

type SimulatedGateway = {
  cluster: Cluster;
  random: Random;
  log: SimulatedLog;
  operations: readonly SimulatedOperation[];
};

const waitForAnswerMs = 15_000;
const maxTries = 100;
const origin = (correlationId: string) => ({
  actor: 'operator:admin',
  tokenId: 'first',
  correlationId,
});

/**
 * Makes a top-up from time to time, and repeats it, as an operator does, until its outcome is
 * known.
 */
export async function fund(
  { cluster, random }: Pick<SimulatedGateway, 'cluster' | 'random'>,
  { shop }: SimulatedShop,
): Promise<void> {
  for (let count = random.below(4); count > 0; count -= 1) {
    await delay(random.between(0, 8_000));
    const request = {
      shop_id: shop.shopId,
      adjustment_id: newId(),
      currency: random.pick(['RUB', 'RUB', 'USD'] as const),
      amount: random.pick(['500.00', '150.00', '-20.00']),
      reason: 'simulated',
    };
    await untilDone(cluster, random, (stores) =>
      adjust(stores, request, origin(request.adjustment_id)),
    );
  }
}

type Stores = NonNullable<ReturnType<Cluster['stores']>>;

async function untilDone(
  cluster: Cluster,
  random: Random,
  command: (stores: Stores) => Promise<unknown>,
): Promise<void> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const stores = cluster.stores();
    const done =
      stores &&
      command(stores).then(
        () => true,
        () => false,
      );
    if (await Promise.race([done, delay(waitForAnswerMs, false)])) return;
    await delay(random.between(50, 500));
  }
  throw new Error('a command of an operator was never carried out');
}

/**
 * Handles what waits for a person: receipts under review, which are decided, and late money, which
 * may be.
 */
export async function watch(gateway: SimulatedGateway, over: () => boolean): Promise<void> {
  const { random } = gateway;
  for (;;) {
    await delay(random.between(500, 4_000));
    if (over()) return;
    for (const operation of gateway.operations) {
      await reviewOne(gateway, operation);
      await closeOne(gateway, operation);
      await resolveOne(gateway, operation);
    }
  }
}

async function reviewOne(
  { cluster, random, log }: SimulatedGateway,
  { operationId }: SimulatedOperation,
): Promise<void> {
  if (!awaitsPerson(log.read(operationStream(operationId)))) return;
  const state = await readOperation(asLeader(log), operationId);
  if (state?.status !== 'manual_check') return;
  const again = state.receipts.length < 2 && random.chance(0.4);
  const decision = again ? 'ask_again' : random.pick(['approve', 'decline']);
  const { amount: expected } = state.request;
  const amount = random.pick([expected, expected, '5.00', '2000.00']);
  const body = { decision, note: 'seen', ...(decision === 'approve' && { actual_amount: amount }) };
  const send = () => askAdmin({ cluster, random }, `${operationId}/review`, body);
  // Two operators may decide at once.
  const sent = random.chance(0.2) ? Promise.all([send(), send()]) : send();
  await Promise.race([sent, delay(waitForAnswerMs)]);
}

/** An admin is tired of waiting. */
async function closeOne(
  { cluster, random, log }: SimulatedGateway,
  { operationId }: SimulatedOperation,
): Promise<void> {
  if (!random.chance(0.05)) return;
  const events = log.read(operationStream(operationId));
  if (events.length === 0 || events.some(({ type }) => isTerminalEventType(type))) return;
  const sent = askAdmin({ cluster, random }, `${operationId}/close`, { note: 'too long' });
  await Promise.race([sent, delay(waitForAnswerMs)]);
}

function askAdmin(
  { cluster, random }: Pick<SimulatedGateway, 'cluster' | 'random'>,
  path: string,
  body: object,
): ReturnType<Cluster['request']> {
  const to = { service: 'admin', index: random.below(2) } as const;
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return cluster.request(to, `/admin/v1/operations/${path}`, init);
}

/** Cheaper than folding each operation each time. */
function awaitsPerson(events: readonly StoredEvent[]): boolean {
  const checked = events.some(({ type }) => type === 'ManualCheckStarted');
  return checked && !events.some(({ type }) => isTerminalEventType(type));
}

async function resolveOne(
  { cluster, random, log }: SimulatedGateway,
  { operationId, type }: SimulatedOperation,
): Promise<void> {
  const [fact] = log.read(lateStream(operationId)).filter(() => random.chance(0.1));
  const late = fact && decodeLateEvent(fact);
  if (!late || late.type === 'LateStatusAcknowledged' || late.type === 'ApprovedMoneyConfirmed')
    return;
  const decide = (stores: Stores) => {
    const money = isLateMoney(late) && toSuspense(late, type);
    const resolution = money
      ? random.pick([
          moneyDirection(money) === 'in' ? ('credit_shop' as const) : ('charge_shop' as const),
          'return' as const,
          'write_off' as const,
        ])
      : ('acknowledge' as const);
    const decision = { entryId: fact.id, operationId, resolution, note: 'seen' };
    return resolveSuspense(stores, decision, origin(newId())).catch(() => undefined);
  };
  const [first, second] = [cluster.stores(), random.chance(0.3) ? cluster.stores() : undefined];
  const decided = Promise.all(
    [first, second].flatMap((stores) => (stores ? [decide(stores)] : [])),
  );
  await Promise.race([decided, delay(waitForAnswerMs)]);
}

/** What an operator's screen shows, without a network. */
const asLeader = (log: SimulatedLog) =>
  ({ read: async (stream: string) => log.read(stream) }) as never;
