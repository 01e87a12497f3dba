import { controlBank } from '#examples/bank/simulator/testing/control.ts';
import {
  createMerchant,
  plan,
  type RecordedResponse,
  type SimulatedOperation,
} from '#infra/verify/simulation/people/merchant.ts';
import { adjust, reviewUntilEnded, type Adjusted } from './operator.ts';
import type { Stage } from './stage.ts';

/** What was asked for, with all that was answered. */
export type Load = {
  readonly operations: readonly SimulatedOperation[];
  readonly adjusted: readonly Adjusted[];
};

const merchantsAtOnce = 30;

/**
 * The simulation's merchants, and an operator, at work on a real stack until `endsAt`; what has
 * begun then is brought to its end, and asked for once more.
 */
export async function runLoad(stage: Stage, endsAt: number): Promise<Load> {
  const { stack, shops, send, random, find } = stage;
  const operations: SimulatedOperation[] = [];
  const again: (() => Promise<unknown>)[] = [];
  const given = {
    cluster: {
      request: (_to: object, path: string, init: RequestInit) =>
        send(`${stack.urls.gateway}${path}`, init),
    },
    shops,
    bank: { shown: createPayer(stage) },
  };
  const merchants = async () => {
    do {
      const operation = plan(random, random.pick(shops), operations.length + 1);
      operations.push(operation);
      const merchant = createMerchant(given, random, operation);
      again.push(() => merchant.create().then(merchant.read));
      await merchant.act();
    } while (performance.now() < endsAt);
  };
  let acting = true;
  const acted = Promise.all(Array.from({ length: merchantsAtOnce }, merchants))
    .catch((error: unknown) => find('a merchant gave up', String(error)))
    .finally(() => (acting = false));
  const [adjusted] = await Promise.all([
    adjust(stage, endsAt),
    reviewUntilEnded(stage, operations, () => acting),
    acted,
  ]);
  await Promise.all(again.map((once) => once()));
  return { operations, adjusted };
}

/** What a payer of the bank's writes into the purpose. */
const reference = /GW[0-9A-Z]{13}/;

/** Pays to the bank once where a payment shows how, all of it or a part. */
function createPayer({ stack, random }: Stage) {
  const paid = new Set<string>();
  return ({ operationId, amount }: SimulatedOperation, { body }: RecordedResponse): void => {
    const purpose = reference.exec(String(body['transfer_purpose']))?.[0];
    if (purpose === undefined || paid.has(operationId)) return;
    paid.add(operationId);
    const transfer = { amount: random.pick([amount, amount, '0.20']), purpose: `order ${purpose}` };
    // A transfer that the bank does not answer may have come.
    void controlBank(stack.urls.sandbox)
      .incoming(transfer)
      .catch(() => undefined);
  };
}
