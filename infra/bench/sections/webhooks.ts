import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '#infra/process/wait-until.ts';
import { admit } from '#shared/domain/operation/create.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { noOperation } from '#shared/domain/operation/state.ts';
import { connectEventStore, NO_STREAM, type EventStore } from '#shared/event-store/index.ts';
import { newId } from '#shared/ids.ts';
import { toNewEvents } from '#shared/operations/streams.ts';
import type { Context } from '../context.ts';
import { createLoadClient, type LoadClient } from '../load/http-client.ts';
import type { Load } from '../load/loops.ts';
import { createServers } from '../processes/servers.ts';
import type { Section } from '../report/section.ts';
import { percentile } from '../report/statistics.ts';
import { inRounds, withCpu, type Case } from '../rounds.ts';

const senderName = 'bare signed sender';
const clients = 64;
const paceMs = 50;

/** Webhooks from the log to a merchant's endpoint, beside a sender that only signs and sends. */
export async function measureWebhooks(context: Context): Promise<Section[]> {
  const stack = await context.wholeStack();
  const servers = createServers();
  const store = connectEventStore(stack.env['EVENT_STORE_URL'] ?? '');
  try {
    const receiver = await servers.start('infra/bench/servers/webhook-receiver.ts', { port: 'PORT' });
    const sender = await servers.start('infra/bench/servers/bare-sender.ts', { port: 'PORT' });
    const endpoint = createLoadClient(receiver.url, 1);
    const { shopId } = await stack.makeShop(`${receiver.url}/webhooks`);
    const messages = context.quick ? 300 : 1_500;
    const cases: Case[] = [
      {
        name: senderName,
        run: async () => {
          const client = createLoadClient(sender.url, 1);
          const options = { url: `${receiver.url}/webhooks`, clients, durationMs: context.durationMs };
          const send = async () => {
            const request = { method: 'POST', path: '/run', body: JSON.stringify(options) } as const;
            return JSON.parse((await client.send(request)).body) as Load;
          };
          const sample = await withCpu([sender.pid, receiver.pid], send);
          await client.close();
          await take(endpoint);
          return sample;
        },
      },
      {
        name: 'deliveries, everything running',
        against: [senderName],
        run: async () => {
          const sample = await withCpu([...stack.pids(), receiver.pid], async () => {
            await declineMany(store, shopId, messages);
            return loadOf(await arrivals(endpoint, messages));
          });
          await stack.atRest();
          return sample;
        },
      },
    ];
    const rows = await inRounds(cases, context.rounds);
    const latencies = await appendToArrival(store, { shopId, endpoint, count: context.quick ? 20 : 100 });
    const at = (share: number) => {
      const value = percentile(latencies, share);
      return { median: value, min: latencies[0] ?? 0, max: latencies.at(-1) ?? 0 };
    };
    await endpoint.close();
    return [
      {
        name: 'Webhooks',
        about: `Bursts of ${messages} operations that end; rate from the first arrival to the last. Append to arrival: one operation every ${paceMs} ms.`,
        rows,
        figures: [
          { name: 'append to arrival, p50', unit: 'ms', value: at(0.5) },
          { name: 'append to arrival, p99', unit: 'ms', value: at(0.99) },
        ],
      },
    ];
  } finally {
    await store.close();
    await servers.stop();
  }
}

type Arrival = [operationId: string, epochMs: number];

/** An operation that ends as it begins, for want of a route: it owes one webhook. */
async function decline(store: EventStore, shopId: string): Promise<string> {
  const operationId = newId();
  const decision = admit(noOperation, {
    operationId,
    shopId,
    merchantId: 'bench',
    type: 'payment',
    merchantOperationId: operationId,
    bodyHash: 'bench',
    request: { client_id: 'client-1', method: 'WT_RUB_C2C', amount: '100.00', currency: 'RUB' },
    acceptUntil: new Date().toISOString(),
    routes: [],
  });
  if ('refusal' in decision) throw new Error(decision.refusal.code);
  const events = toNewEvents(decision.events, { actor: 'service:bench', correlationId: newId() });
  const stream = operationStream(operationId);
  const { outcome } = await store.append({ stream, expectedRevision: NO_STREAM, events });
  if (outcome !== 'appended') throw new Error(`an append came to ${outcome}`);
  return operationId;
}

async function declineMany(store: EventStore, shopId: string, count: number): Promise<void> {
  let left = count;
  const decliners = Array.from({ length: 16 }, async () => {
    for (; left > 0;) {
      left -= 1;
      await decline(store, shopId);
    }
  });
  await Promise.all(decliners);
}

async function arrivals(endpoint: LoadClient, count: number): Promise<Arrival[]> {
  const counted = async () => Number((await endpoint.send({ method: 'GET', path: '/count' })).body) >= count;
  await waitUntil(`${count} webhooks have come`, counted, { timeoutMs: 60_000 });
  return take(endpoint);
}

async function take(endpoint: LoadClient): Promise<Arrival[]> {
  return JSON.parse((await endpoint.send({ method: 'GET', path: '/take' })).body) as Arrival[];
}

function loadOf(came: readonly Arrival[]): Load {
  const times = came.map(([, at]) => at);
  const seconds = (Math.max(...times) - Math.min(...times)) / 1000;
  return { operations: came.length, seconds, p50Ms: 0, p95Ms: 0, p99Ms: 0 };
}

/** How long after its append was acknowledged each message came, in milliseconds, sorted. */
async function appendToArrival(
  store: EventStore,
  { shopId, endpoint, count }: { shopId: string; endpoint: LoadClient; count: number },
): Promise<Float64Array> {
  const appendedAt = new Map<string, number>();
  for (let index = 0; index < count; index += 1) {
    const operationId = await decline(store, shopId);
    appendedAt.set(operationId, performance.timeOrigin + performance.now());
    await delay(paceMs);
  }
  const came = await arrivals(endpoint, count);
  return Float64Array.from(came, ([id, at]) => at - (appendedAt.get(id) ?? at)).toSorted();
}
