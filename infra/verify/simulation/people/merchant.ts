import { setTimeout as delay } from 'node:timers/promises';
import { operationIdFor } from '#shared/application/operations/operation-id.ts';
import { makeForm } from '#infra/verify/harness/shops/form.ts';
import type { Random } from '#infra/verify/harness/tests/random.ts';
import type { MerchantResponse } from '../checks/answers.ts';
import type { Cluster } from '../cluster.ts';
import type { SimulatedShop } from './shops.ts';

export type SimulatedOperation = {
  shop: SimulatedShop;
  operationId: string;
  name: string;
  type: 'payment' | 'payout';
  amount: string;
  responses: MerchantResponse[];
};

const patienceMs = { least: 50, most: 1_500 };
const waitForAnswerMs = 20_000;
/**
 * A merchant without a definite answer repeats the request, for as long as the simulation lasts.
 */
const maxTries = 300;
const json = 'application/json';

type MerchantOptions = {
  cluster: Cluster;
  shops: readonly SimulatedShop[];
  bank: {
    /** A payer may pay to the requisites in the response. */
    shown(operation: SimulatedOperation, response: MerchantResponse): void;
  };
};

/** A request of the merchant, or with the key of another shop. Undefined without an answer. */
type Send = (
  what: MerchantResponse['what'],
  path: string,
  request: { body: string; contentType?: string; apiKey?: string },
) => Promise<MerchantResponse | undefined>;

function createSend(
  { cluster, bank }: MerchantOptions,
  random: Random,
  operation: SimulatedOperation,
): Send {
  const { shop, responses } = operation;
  return async (what, path, { body, contentType = json, apiKey = shop.apiKey }) => {
    const sentMs = performance.now();
    const to = { service: 'merchant-api', index: random.below(2) } as const;
    const headers = { 'content-type': contentType, 'x-api-key': apiKey };
    const sent = cluster.request(to, path, { method: 'POST', headers, body });
    const answer = await Promise.race([sent, delay(waitForAnswerMs)]);
    if (!answer) return undefined;
    const heard: MerchantResponse = { what, sentMs, receivedMs: performance.now(), ...answer };
    responses.push(heard);
    if (apiKey === shop.apiKey) bank.shown(operation, heard);
    return heard;
  };
}

/** What a merchant may request for its operation. */
export function createSimulatedMerchant(
  given: MerchantOptions,
  random: Random,
  operation: SimulatedOperation,
) {
  const { shop, name, operationId, type, amount } = operation;
  const byName = { merchant_operation_id: name };
  const send = createSend(given, random, operation);

  const untilDefinite = async (
    once: () => Promise<MerchantResponse | undefined>,
  ): Promise<MerchantResponse> => {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const answer = await once();
      if (answer && answer.status < 500 && answer.status !== 429) return answer;
      await delay(random.between(patienceMs.least, patienceMs.most));
    }
    throw new Error('no definite answer came');
  };

  const request = {
    ...byName,
    client_id: 'client-1',
    method: 'WT_RUB_C2C',
    currency: 'RUB',
    amount,
    ...(type === 'payout' && { number: '2200123456789012' }),
  };
  const createPath = type === 'payment' ? '/v1/payment' : '/v1/payout';
  const create = () =>
    untilDefinite(() => send('create', createPath, { body: JSON.stringify(request) }));
  const clash = () =>
    send('clash', createPath, { body: JSON.stringify({ ...request, amount: '11.11' }) });
  const spy = () => {
    const other = given.shops.find((each) => each !== shop);
    const path = random.pick(['/v1/get_operation_state', '/v1/cancel_operation']);
    const body = JSON.stringify({ operation_id: operationId });
    return other && send('spy', path, { body, apiKey: other.apiKey });
  };
  const cancel = () => {
    const reference = random.chance(0.7) ? byName : { operation_id: operationId };
    return untilDefinite(() =>
      send('cancel', '/v1/cancel_operation', { body: JSON.stringify(reference) }),
    );
  };
  const read = () => send('read', '/v1/get_operation_state', { body: JSON.stringify(byName) });
  const confirm = () => {
    const receipt = random.pick(['%PDF-1.4 one', '%PDF-1.4 other', 'no PDF at all']);
    const fields = { operation_id: operationId, confirmation_type: 'receipt' };
    const { valid, type: contentType } = makeForm(fields, Buffer.from(receipt));
    const body = valid.toString();
    return untilDefinite(() => send('confirm', '/v1/confirm_payment', { body, contentType }));
  };
  return { type, create, clash, spy, cancel, read, confirm };
}

/**
 * Creates the operation, sometimes twice at once, may cancel it, sends receipts, and reads it from
 * time to time; resolves when the merchant has every answer that it needs.
 */
export async function actAsMerchant(
  { type, create, clash, spy, cancel, read, confirm }: ReturnType<typeof createSimulatedMerchant>,
  random: Random,
): Promise<void> {
  const startMs = random.between(0, 6_000);
  const after = (least: number, most: number, then: () => Promise<unknown>) =>
    delay(Math.max(0, startMs + random.between(least, most))).then(then);
  // A read after an answer is never older than it, on any instance.
  const thenRead = async (answer: Promise<MerchantResponse>) => {
    await answer;
    if (random.chance(0.3)) await read();
  };
  const thenMeddle = async () => {
    if (random.chance(0.15)) await clash();
    if (random.chance(0.15)) await spy();
  };
  const acts: Promise<unknown>[] = [
    delay(startMs)
      .then(() => thenRead(create()))
      .then(thenMeddle),
  ];
  if (random.chance(0.4)) acts.push(after(-500, 3_000, create));
  // Before it, at the same time, and while money, receipts and reviews come.
  if (random.chance(type === 'payment' ? 0.4 : 0.1)) {
    acts.push(after(-1_500, 6_000, () => thenRead(cancel())));
    if (random.chance(0.3)) acts.push(after(-500, 20_000, cancel));
  }
  if (type === 'payment')
    for (let receipts = random.below(5); receipts > 0; receipts -= 1)
      acts.push(after(200, 14_000, () => thenRead(confirm())));
  for (let reads = random.below(4); reads > 0; reads -= 1) acts.push(after(0, 25_000, read));
  await Promise.all(acts);
}

/** A new operation. */
export function plan(random: Random, shop: SimulatedShop, number: number): SimulatedOperation {
  const name = `order-${number}`;
  return {
    shop,
    name,
    operationId: operationIdFor(Buffer.from(shop.shop.operationIdSecret, 'hex'), name),
    type: random.chance(0.5) ? 'payment' : 'payout',
    amount: random.pick(['10.00', '100.00', '99.98', '1000.00']),
    responses: [],
  };
}
