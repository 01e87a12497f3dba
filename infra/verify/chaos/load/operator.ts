import { setTimeout as delay } from 'node:timers/promises';
import { hasEnded } from '#infra/verify/simulation/play.ts';
import type { SimulatedOperation } from '#infra/verify/simulation/people/merchant.ts';
import type { Answer } from '#infra/verify/simulation/cluster.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import type { Stage } from './stage.ts';

/** Money that an operator moved, as an answer acknowledged it. */
export type Adjusted = {
  readonly id: string;
  readonly shopId: string;
  readonly currency: string;
  readonly amount: string;
};

const everyMs = 500;
const adjustEveryMs = { least: 200, most: 1_500 };

/** The same command until it is answered, whatever was said before. */
async function command(
  { stack, send, until }: Stage,
  path: string,
  body: object,
): Promise<Answer | undefined> {
  const headers = {
    authorization: `Bearer ${stack.adminToken}`,
    'content-type': 'application/json',
  };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  while (performance.now() < until()) {
    const answer = await send(`${stack.urls.admin}/admin/v1${path}`, init);
    if (answer && answer.status < 500) return answer;
    await delay(everyMs);
  }
  return undefined;
}

/** Moves money until `endsAt`, some of it twice at once. */
export async function adjust(stage: Stage, endsAt: number): Promise<Adjusted[]> {
  const { random, shops, find } = stage;
  const adjusted: Adjusted[] = [];
  for (let count = 1; performance.now() < endsAt; count += 1) {
    const { shopId } = random.pick(shops).shop;
    const id = `adjustment-${count}`;
    const currency = random.pick(['RUB', 'RUB', 'USD']);
    const amount = random.pick(['500.00', '50.00', '-20.00', '0.01']);
    const body = { adjustment_id: id, currency, amount, reason: 'chaos' };
    const once = () => command(stage, `/shops/${shopId}/adjustments`, body);
    const answers = await Promise.all(Array.from({ length: random.pick([1, 1, 2]) }, once));
    if (answers.every((answer) => answer && answer.status < 300))
      adjusted.push({ id, shopId, currency, amount });
    else find('an adjustment was refused, or never answered', { body, answers });
    await delay(random.between(adjustEveryMs.least, adjustEveryMs.most));
  }
  return adjusted;
}

/** Reviews what waits for it, until the merchants have done all and every operation has ended. */
export async function reviewUntilEnded(
  stage: Stage,
  operations: readonly SimulatedOperation[],
  acting: () => boolean,
): Promise<void> {
  const { random, store, until, find } = stage;
  const ended = new Set<SimulatedOperation>();
  while (acting() || ended.size < operations.length) {
    if (performance.now() > until()) {
      const open = operations.filter((each) => !ended.has(each));
      const shown = open.map(({ operationId, shop, responses }) => ({
        operationId,
        shop: shop.shop.settings.name,
        last: responses.at(-1),
      }));
      return find('operations never came to an end', shown);
    }
    await delay(everyMs);
    const over = !acting();
    for (const operation of operations.filter((each) => !ended.has(each))) {
      const { operationId, amount } = operation;
      const events = await store.read(operationStream(operationId)).catch(() => undefined);
      const types = events?.map(({ type }) => type) ?? [];
      if (over && events && hasEnded(types)) ended.add(operation);
      else if (types.includes('ManualCheckStarted') && !hasEnded(types))
        await command(stage, `/operations/${operationId}/review`, {
          note: 'seen',
          ...random.pick([
            { decision: 'approve', actual_amount: amount },
            { decision: 'approve', actual_amount: '0.25' },
            { decision: 'decline' },
          ]),
        });
    }
  }
}
