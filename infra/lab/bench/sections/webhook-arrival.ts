import type { Kysely } from 'kysely';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Context } from '../context.ts';
import type { LoadClient } from '#infra/lab/load/http-client.ts';
import { openLoop } from '#infra/lab/load/loops.ts';
import { appendDeclined, arrivalTimes, recordWaiting } from '../load/webhooks.ts';
import type { WholeStack } from '../processes/whole-stack.ts';
import type { Figure, Section } from '../report/section.ts';
import { percentile, spread } from '#infra/verify/harness/statistics.ts';

const perSecond = 200;
/** What the endpoint that hangs has waiting, beside its share of what is appended. */
const backlog = 500;

type Setting = {
  stack: WholeStack;
  store: EventStore;
  db: Kysely<WebhooksDatabase>;
  receiver: LoadClient;
  /** The first one is the one that hangs. */
  shops: readonly { shopId: string; origin: string }[];
  answerMs: number;
};

/**
 * How long webhooks take from their event's append to their arrival, at a steady rate over many
 * endpoints: while all of them answer, and while one hangs, in turns.
 */
export async function measureArrival(context: Context, setting: Setting): Promise<Section> {
  const { stack, db, shops, answerMs } = setting;
  const [hanging, ...others] = shops;
  if (!hanging) throw new Error('no shops');
  const rounds = context.quick ? 2 : 4;
  const all: Float64Array[] = [];
  const withOneHanging: Float64Array[] = [];
  for (let round = 0; round < rounds; round += 1) {
    all.push(await steadyLoad(context, setting, others));
    await stack.setWebhook(hanging.shopId, { url: `${hanging.origin}/hang`, enabled: true });
    await recordWaiting(db, [hanging.shopId], backlog);
    withOneHanging.push(await steadyLoad(context, setting, others));
    await stack.setWebhook(hanging.shopId, { url: `${hanging.origin}/${answerMs}`, enabled: true });
  }
  const at = (latencies: Float64Array[], share: number) =>
    spread(latencies.map((sorted) => percentile(sorted, share)));
  const added = withOneHanging.map(
    (sorted, round) => percentile(sorted, 0.95) - percentile(all[round] ?? sorted, 0.95),
  );
  const figures: Figure[] = [
    ...[0.5, 0.95, 0.99].map((share) => ({
      name: `append to arrival, p${share * 100}`,
      unit: 'ms',
      value: at(all, share),
    })),
    {
      name: 'the same of the others while one endpoint hangs, p95',
      unit: 'ms',
      value: at(withOneHanging, 0.95),
    },
    { name: 'what that adds to p95', unit: 'ms', value: spread(added) },
  ];
  return {
    name: 'Webhooks: append to arrival',
    about: `${perSecond} operations a second over ${others.length} endpoints; timed from the moment before the append. Everything runs.`,
    rows: [],
    figures,
  };
}

/** Appends at a steady rate; how long each webhook took, in milliseconds, sorted. */
async function steadyLoad(
  { durationMs }: Context,
  { store, receiver }: Setting,
  shops: Setting['shops'],
): Promise<Float64Array> {
  const appendedAt = new Map<string, number>();
  await openLoop({ perSecond, durationMs: durationMs * 2 }, async (index) => {
    const at = performance.timeOrigin + performance.now();
    const shopId = shops[index % shops.length]?.shopId ?? '';
    appendedAt.set(await appendDeclined(store, shopId), at);
  });
  const came = await arrivalTimes(receiver, new Set(appendedAt.keys()));
  return Float64Array.from(appendedAt, ([id, at]) => (came.get(id) ?? Number.NaN) - at).toSorted();
}
