import { setTimeout as delay } from 'node:timers/promises';
import { operationIdFor } from '#shared/ids.ts';
import type { Random } from '#infra/testing/random.ts';
import type { Answer, Cluster } from './cluster.ts';
import type { SimulatedShop } from './shops.ts';

/** What a merchant was told, between which two moments of the simulation's time. */
export type Told = { what: 'create' | 'cancel' | 'read'; askedMs: number; toldMs: number } & Answer;

export type SimulatedOperation = {
  shop: SimulatedShop;
  operationId: string;
  name: string;
  type: 'payment' | 'payout';
  amount: string;
  told: Told[];
};

const patienceMs = { least: 50, most: 1_500 };
const waitForAnswerMs = 20_000;
/** A merchant that gets no definite answer asks again, for as long as the simulation lasts. */
const maxTries = 300;

/** Who creates one operation, once or twice at a time, may cancel it, and looks at it now and then. */
export function createMerchant(cluster: Cluster, random: Random, operation: SimulatedOperation) {
  const { shop, name, type, amount, told } = operation;
  const headers = { 'content-type': 'application/json', 'x-api-key': shop.apiKey };
  const reference = { merchant_operation_id: name };

  const send = async (what: Told['what'], path: string, body: object): Promise<Told | undefined> => {
    const askedMs = Date.now();
    const to = { service: 'merchant-api', index: random.below(2) } as const;
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await Promise.race([cluster.request(to, path, init), delay(waitForAnswerMs)]);
    if (!answer) return undefined;
    const heard: Told = { what, askedMs, toldMs: Date.now(), ...answer };
    told.push(heard);
    return heard;
  };

  const untilDefinite = async (once: () => Promise<Told | undefined>): Promise<Told> => {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const answer = await once();
      if (answer && answer.status < 500 && answer.status !== 429) return answer;
      await delay(random.between(patienceMs.least, patienceMs.most));
    }
    throw new Error('no definite answer came');
  };

  const create = () =>
    untilDefinite(() =>
      send('create', type === 'payment' ? '/v1/payment' : '/v1/payout', {
        ...reference,
        client_id: 'client-1',
        method: 'WT_RUB_C2C',
        currency: 'RUB',
        amount,
        ...(type === 'payout' && { number: '2200123456789012' }),
      }),
    );
  const cancel = () => untilDefinite(() => send('cancel', '/v1/cancel_operation', reference));
  const read = () => send('read', '/v1/get_operation_state', reference);

  return {
    create,
    read,
    /** All that this merchant does by chance; settles when every answer that it needs has come. */
    act: async (): Promise<void> => {
      const startMs = random.between(0, 6_000);
      const acts: Promise<unknown>[] = [delay(startMs).then(create)];
      if (random.chance(0.4)) acts.push(delay(startMs + random.between(-500, 3_000)).then(create));
      if (random.chance(type === 'payment' ? 0.4 : 0.1))
        acts.push(delay(Math.max(0, startMs + random.between(-1_500, 6_000))).then(cancel));
      for (let reads = random.below(4); reads > 0; reads -= 1)
        acts.push(delay(startMs + random.between(0, 25_000)).then(read));
      await Promise.all(acts);
    },
  };
}

/** An operation that nobody has heard of yet. */
export function plan(random: Random, shop: SimulatedShop, number: number): SimulatedOperation {
  const name = `order-${number}`;
  return {
    shop,
    name,
    operationId: operationIdFor(Buffer.from(shop.shop.operationIdSecret, 'hex'), name),
    type: random.chance(0.5) ? 'payment' : 'payout',
    amount: random.pick(['10.00', '100.00', '99.98', '1000.00']),
    told: [],
  };
}
