import { connectDatabase } from '#shared/platform/database/connect.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { laneLimits } from '#services/webhooks/dispatch/pace/lanes.ts';
import type { Context } from '../context.ts';
import { createLoadClient, postJson } from '#infra/lab/load/http-client.ts';
import { untimed, type Load } from '#infra/lab/load/loops.ts';
import {
  appendManyDeclined,
  arrivals,
  recordWaiting,
  takeArrivals,
  type Arrival,
} from '../load/webhooks.ts';
import { createServers } from '#infra/lab/targets/servers.ts';
import type { Figure, Section } from '../report/section.ts';
import { spread } from '#infra/verify/harness/statistics.ts';
import { inRounds, withCpu, type Case } from '../rounds.ts';
import { measureArrival } from './webhook-arrival.ts';

const senderName = 'bare signed sender';
/** What a receiver takes to answer. */
const answerMs = 5;
const manyShops = 100;
const drained = 10_000;

type Stack = Awaited<ReturnType<Context['wholeStack']>>;
type Server = Awaited<ReturnType<ReturnType<typeof createServers>['start']>>;
type Shop = { shopId: string; origin: string };
/** What is measured, and what stands at its end. */
type Bench = {
  context: Context;
  stack: Stack;
  store: ReturnType<typeof connectEventStore>;
  db: ReturnType<typeof connectDatabase<WebhooksDatabase>>;
  receiver: Server;
  sender: Server;
  /** Asks the receiver what has arrived. */
  arrived: ReturnType<typeof createLoadClient>;
  /** The one endpoint that most is sent to, and its shop. */
  url: string;
  shopId: string;
  /** Shops with an endpoint each. */
  shops: readonly Shop[];
  /** How many messages wait, and how many operations are appended. */
  waiting: number;
  appended: number;
};

/** Webhooks from the log to merchants' endpoints, beside a sender that only signs and sends. */
export async function measureWebhooks(context: Context): Promise<Section[]> {
  const stack = await context.wholeStack();
  const servers = createServers();
  const store = connectEventStore(stack.env['EVENT_STORE_URL'] ?? '');
  const db = connectDatabase<WebhooksDatabase>(stack.env['DATABASE_URL'] ?? '', {
    applicationName: 'bench',
  });
  try {
    const receiver = await servers.start('infra/lab/bench/servers/webhook-receiver.ts', {
      port: 'PORT',
    });
    const sender = await servers.start('infra/lab/bench/servers/bare-sender.ts', {
      port: 'PORT',
    });
    const arrived = createLoadClient(receiver.url, 1);
    const url = `${receiver.url}/${answerMs}`;
    const { shopId } = await stack.makeShop(url);
    const shops = await makeShops(stack, new URL(receiver.url).port);
    const waiting = context.quick ? 3_000 : 8_000;
    const appended = context.quick ? 300 : 1_500;
    const bench = {
      context,
      stack,
      store,
      db,
      receiver,
      sender,
      arrived,
      url,
      shopId,
      shops,
      waiting,
      appended,
    };
    const rows = await inRounds(casesOf(bench), context);
    const drain = await measureDrain(bench);
    await stack.atRest();
    const arrival = await measureArrival(context, {
      stack,
      store,
      db,
      receiver: arrived,
      shops,
      answerMs,
    });
    await arrived.close();
    return [
      {
        name: 'Webhooks',
        about: `A receiver that takes ${answerMs} ms to answer, ${laneLimits.maxWidth} connections to each endpoint at most. Everything runs. Rates from the first arrival to the last of ${waiting} waiting messages, and of ${appended} operations appended in a burst.`,
        rows,
        figures: [drain],
      },
      arrival,
    ];
  } finally {
    await db.destroy();
    await store.close();
    await servers.stop();
  }
}

async function makeShops(stack: Stack, port: string): Promise<Shop[]> {
  const shops: Shop[] = [];
  for (let index = 1; index <= manyShops; index += 1) {
    const origin = `http://127.0.1.${index}:${port}`;
    shops.push({ origin, shopId: (await stack.makeShop(`${origin}/${answerMs}`)).shopId });
  }
  return shops;
}

function casesOf(bench: Bench): Case[] {
  const { context, stack, store, db, receiver, sender, arrived, url, shopId, waiting, appended } =
    bench;
  const shopIds = bench.shops.map((shop) => shop.shopId);
  /** A burst that the whole stack works off, until it is at rest again. */
  const burst = async (count: number, begin: () => Promise<void>) => {
    const sample = await withCpu([...stack.pids(), receiver.pid], async () => {
      await begin();
      return arrivalsLoad(await arrivals(arrived, count));
    });
    await stack.atRest();
    return sample;
  };
  return [
    {
      name: senderName,
      run: async () => {
        const client = createLoadClient(sender.url, 1);
        const options = { url, clients: laneLimits.maxWidth, durationMs: context.durationMs };
        const sample = await withCpu([sender.pid, receiver.pid], () =>
          postJson<Load>(client, '/run', options),
        );
        await client.close();
        await takeArrivals(arrived);
        return sample;
      },
    },
    {
      name: 'dispatch of waiting messages, one endpoint',
      against: [senderName],
      run: () => burst(waiting, () => recordWaiting(db, [shopId], waiting)),
    },
    {
      name: `dispatch of waiting messages, ${manyShops} endpoints`,
      against: [senderName],
      run: () => burst(waiting, () => recordWaiting(db, shopIds, waiting)),
    },
    {
      name: 'from the log, one endpoint',
      against: [senderName],
      run: () => burst(appended, () => appendManyDeclined(store, shopId, appended)),
    },
  ];
}

async function measureDrain({ stack, db, arrived, url, shopId }: Bench): Promise<Figure> {
  await stack.setWebhook(shopId, { url, enabled: false });
  await recordWaiting(db, [shopId], drained);
  await stack.atRest();
  const enabledAt = performance.timeOrigin + performance.now();
  await stack.setWebhook(shopId, { url, enabled: true });
  const drainMs = lastOf(await arrivals(arrived, drained)) - enabledAt;
  return {
    name: `${drained} waiting messages, from the endpoint's enabling to the last one's arrival`,
    unit: 's',
    value: spread([drainMs / 1000]),
  };
}

/** From the first arrival to the last. */
function arrivalsLoad(came: readonly Arrival[]): Load {
  const first = came.reduce((least, [, at]) => Math.min(least, at), Number.POSITIVE_INFINITY);
  return untimed(came.length, lastOf(came) - first);
}

const lastOf = (came: readonly Arrival[]) => came.reduce((most, [, at]) => Math.max(most, at), 0);
