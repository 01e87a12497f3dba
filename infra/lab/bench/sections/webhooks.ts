import { connectDatabase } from '#shared/platform/database/connect.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import { loadSigningKey } from '#shared/platform/config/signing-key.ts';
import { signAppends } from '#shared/platform/event-store/sign-appends.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { laneLimits } from '#services/webhooks/dispatch/pace/lanes.ts';
import type { BenchContext } from '../context.ts';
import { createLoadClient } from '#infra/lab/load/http-client.ts';
import { untimed, type LoopMeasurement } from '#infra/lab/load/loops.ts';
import { appendDeclined, arrivals, recordWaiting, takeArrivals } from '../load/webhooks.ts';
import { startWholeStack, type WholeStack } from '../processes/whole-stack.ts';
import { createServers, startOrderWorker, type Server } from '#infra/lab/targets/servers.ts';
import type { Helper } from '#infra/verify/harness/processes/helper-process.ts';
import type { BenchSection } from '#infra/lab/report/section.ts';
import type { SenderOrder } from '../servers/bare-sender.ts';
import { inRounds, withCpu, type Case } from '#infra/lab/report/rounds.ts';

const senderName = 'bare signed sender';
/** What a receiver takes to answer. */
const answerMs = 5;
const manyShops = 100;

/** The measured part, and its receivers. */
type Bench = {
  context: BenchContext;
  stack: WholeStack;
  store: ReturnType<typeof connectEventStore>;
  db: ReturnType<typeof connectDatabase<WebhooksDatabase>>;
  receiver: Server;
  sender: Helper<SenderOrder>;
  /** Polls the receiver for what has arrived. */
  arrived: ReturnType<typeof createLoadClient>;
  /** The endpoint with the most webhooks, and its shop. */
  url: string;
  shopId: string;
  /** Shops with an endpoint each. */
  shopIds: readonly string[];
  /** The number of pending messages and of appended operations. */
  waiting: number;
  appended: number;
};

/**
 * Webhooks from the log to merchants' endpoints, compared with a sender that only signs and sends.
 */
export async function measureWebhooks(context: BenchContext): Promise<BenchSection[]> {
  const stack = await startWholeStack();
  try {
    return await measureOn(stack, context);
  } finally {
    await stack.stop();
  }
}

async function measureOn(stack: WholeStack, context: BenchContext): Promise<BenchSection[]> {
  const servers = createServers();
  const sender = startOrderWorker<SenderOrder>('infra/lab/bench/servers/bare-sender.ts');
  const store = signAppends(
    connectEventStore(stack.env['EVENT_STORE_URL'] ?? ''),
    loadSigningKey('processor', stack.env),
  );
  const db = connectDatabase<WebhooksDatabase>(stack.env['DATABASE_URL'] ?? '', {
    applicationName: 'bench',
  });
  try {
    const receiver = await servers.start('infra/lab/bench/servers/webhook-receiver.ts', {
      port: 'PORT',
    });
    const arrived = createLoadClient(receiver.url, 1);
    const url = `${receiver.url}/${answerMs}`;
    const { shopId } = await stack.makeShop(url);
    const shopIds = await makeShops(stack, new URL(receiver.url).port);
    const [waiting, appended] = context.quick ? [3_000, 300] : [8_000, 1_500];
    const shops = { url, shopId, shopIds, waiting, appended };
    const cases = webhookCases({ context, stack, store, db, receiver, sender, arrived, ...shops });
    const rows = await inRounds(cases, context);
    await arrived.close();
    const about = `A receiver that takes ${answerMs} ms to answer, ${laneLimits.maxWidth} connections to each endpoint at most. Everything runs. Rates from the first arrival to the last of ${waiting} waiting messages, and of ${appended} operations appended in a burst.`;
    return [{ name: 'Webhooks', about, rows, figures: [] }];
  } finally {
    await db.destroy();
    await store.close();
    await sender.stop();
    await servers.stop();
  }
}

async function makeShops(stack: WholeStack, port: string): Promise<string[]> {
  const shopIds: string[] = [];
  for (let index = 1; index <= manyShops; index += 1) {
    const { shopId } = await stack.makeShop(`http://127.0.1.${index}:${port}/${answerMs}`);
    shopIds.push(shopId);
  }
  return shopIds;
}

function webhookCases(bench: Bench): Case[] {
  const { context, stack, store, db, receiver, sender, arrived } = bench;
  const { url, shopId, shopIds, waiting, appended } = bench;
  /** A burst for the whole stack, until it is processed. */
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
        const plan = { url, clients: laneLimits.maxWidth, durationMs: context.durationMs };
        const sample = await withCpu([sender.pid, receiver.pid], () =>
          sender.request<LoopMeasurement>({ order: 'run', ...plan }),
        );
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
      run: () => burst(appended, () => appendDeclined(store, shopId, appended)),
    },
  ];
}

/** From the first arrival to the last. */
function arrivalsLoad(came: readonly number[]): LoopMeasurement {
  return untimed(came.length, Math.max(...came) - Math.min(...came));
}
