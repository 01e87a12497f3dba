import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '#infra/verify/harness/tests/random.ts';
import { playStory, type StoryStage } from './act.ts';
import type { StoryRun } from './acted.ts';
import { tellStory } from './stories.ts';

/** An operator's adjustment that was acknowledged. */
export type Adjustment = {
  readonly id: string;
  readonly shopId: string;
  readonly currency: string;
  readonly amount: string;
};

export type ChaosLoad = {
  readonly acted: readonly StoryRun[];
  readonly adjusted: readonly Adjustment[];
  /** What was requested until answered and never answered. */
  readonly stuck: readonly string[];
};

const playersAtOnce = 12;
const adjustEveryMs = { least: 200, most: 1_500 };
const maxStories = 100_000;
/** The least number of operations, however slow the machine: with fewer, a run shows nothing. */
const minStories = 2 * playersAtOnce;

/**
 * Runs merchants and an operator until `endsAt`; operations that have begun are brought to their
 * end.
 */
export async function runLoad(
  stage: StoryStage,
  { seed, random, endsAt }: { seed: number; random: Random; endsAt: number },
): Promise<ChaosLoad> {
  const acted: StoryRun[] = [];
  const adjusted: Adjustment[] = [];
  const stuck: string[] = [];
  let next = 0;
  const goesOn = () => next < minStories || (performance.now() < endsAt && next < maxStories);

  const player = async () => {
    while (goesOn()) {
      next += 1;
      acted.push(await playStory(stage, tellStory(seed, next)));
    }
  };

  const operator = async () => {
    for (let count = 1; performance.now() < endsAt; count += 1) {
      const shop = random.below(stage.shops.length);
      const { shopId = '', apiKey = '' } = stage.shops[shop] ?? {};
      const currency = random.pick(['RUB', 'RUB', 'USD']);
      const amount = random.pick(['500.00', '50.00', '-20.00', '0.01']);
      const { stack, sender } = stage;
      const id = `adjustment-${count}`;
      const adjust = {
        what: 'adjust',
        url: `${stack.urls.admin}/admin/v1/shops/${shopId}/adjustments`,
        headers: { authorization: `Bearer ${stack.adminToken}` },
        body: { adjustment_id: id, currency, amount, reason: 'chaos' },
      } as const;
      const twice = await Promise.all(
        Array.from({ length: random.pick([1, 1, 2]) }, () => sender.forSure(adjust, [])),
      );
      if (twice.some((answer) => answer === undefined)) stuck.push(`${id} was never answered`);
      else if (twice.some((answer) => answer && answer.status >= 300))
        stuck.push(`${id} was refused: ${JSON.stringify(twice)}`);
      else adjusted.push({ id, shopId, currency, amount });
      const headers = { 'x-api-key': apiKey };
      const url = `${stack.urls.gateway}/v1/balances`;
      await sender.once({ what: 'balances', url, method: 'GET', headers }, []);
      await delay(random.between(adjustEveryMs.least, adjustEveryMs.most));
    }
  };

  await Promise.all([operator(), ...Array.from({ length: playersAtOnce }, player)]);
  return { acted, adjusted, stuck };
}
