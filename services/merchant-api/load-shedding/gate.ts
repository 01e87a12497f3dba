import { Counter, Gauge } from 'prom-client';
import type { MiddlewareHandler } from 'hono';
import { operationStream } from '#shared/domain/operation/events.ts';
import { atMost } from '#shared/platform/at-most.ts';
import { LRUCache } from 'lru-cache';
import type { CreateSlot } from '#shared/application/operations/create/ports.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import { asProblem, type ProblemDetails } from '#shared/platform/http/problems.ts';
import type { MerchantEnv } from '../authentication.ts';
import { AdaptiveLimit } from './concurrency-limit.ts';
import { FairSlots, type Release } from './fair-slots.ts';
import { createLookup, type FindAll } from './batched-lookup.ts';

type CreateToLimit = {
  shopId: string;
  operationId: string;
  /** Of the client, which may leave while it waits. */
  signal?: () => AbortSignal;
  /** It is part of something that was accepted before: it is never refused. */
  wasLetIn?: true;
};

export type Gate = {
  /**
   * Lets a create in, or refuses it when the process is overloaded. A repeat is always let in.
   * @throws Problem not_ready
   */
  enter(create: CreateToLimit): Promise<CreateSlot>;
  /**
   * Holds a slot while a read of the log is answered.
   * @throws Problem not_ready
   */
  limitReads: MiddlewareHandler<MerchantEnv>;
  /** Whether `limitReads` would refuse a read of the shop at once. */
  refusesReads(shopId: string): boolean;
  /** Counts a refused read of the shop. @returns why it is refused, with more header fields */
  refuseRead(shopId: string, headers?: readonly [name: string, value: string][]): ProblemDetails;
};

export type GateOptions = {
  store: Pick<EventStore, 'recent'>;
  metrics: Metrics;
  /** Which of the operations are in the read model; undefined if this process has none. */
  find?: FindAll;
  /** Only tests set another one. */
  limit?: { value: number };
  /** For how long requests may wait before it is an overload; only tests set another time. */
  burstMs?: number;
};

/** Other reads have limits of their own, or need no store. */
export const readsOfLog: readonly string[] = ['/v1/get_operation_state', '/v1/balances'];

/** What can be finished in this time is a burst, of which nothing is refused. */
const longestBurstMs = 2_000;
const calmMs = 2_000;
const waitMs = { burst: 10_000, overload: 200 };
/** Half of the requests in progress at most, so that what is never refused finds a place. */
const waiting = {
  burst: { perShop: 512, total: 1_024 },
  overload: { perShop: 16, total: 128 },
};
/** A read is as much shorter than a create. */
const readsPerCreate = 4;
/** About as many operations as are created in ten minutes at the highest rate; some 10 MB. */
const maxCached = 100_000;
const retryAfterS = { least: 1, most: 5 };

/**
 * Limits the creates and the reads of the log in progress to what the process can finish. A
 * provider's time is not counted: one that hangs takes no slots.
 */
export function createGate({
  store,
  metrics,
  find,
  limit: fixed,
  burstMs = longestBurstMs,
}: GateOptions): Gate {
  const adaptive = new AdaptiveLimit();
  const limit = fixed ?? adaptive;
  const options = { limit: () => limit.value, burstMs, calmMs, waitMs, waiting };
  const slots = new FairSlots(options);
  // In the slots of creates, reads would leave them the smaller part.
  const readSlots = new FairSlots({
    ...options,
    limit: () => limit.value * readsPerCreate,
    waitMs: { ...waitMs, burst: longestBurstMs },
  });
  const refused = registerMetrics(metrics, { limit, adaptive });
  const existingIds = new LRUCache<string, true>({ max: maxCached });
  const lookUp = find && createLookup(find);

  const isKnown = (id: string) =>
    existingIds.has(id) || store.recent(operationStream(id)) !== undefined;
  const exists = async (id: string) =>
    isKnown(id) ||
    (lookUp && (await atMost(longestBurstMs, lookUp(id)).catch(() => false)) === true);
  const slot = ({ shopId, operationId }: CreateToLimit, acquired?: Release): CreateSlot =>
    createSlot(acquired, {
      reacquire: () => slots.reacquire(shopId),
      created: () => void existingIds.set(operationId, true),
      isAlone: () => slots.used === 1,
      observe: adaptive.observe.bind(adaptive),
    });
  const refuseRead: Gate['refuseRead'] = (shopId, headers = []) => {
    readSlots.noteRefused(shopId);
    refused.reads.inc();
    return overloaded(headers);
  };
  return {
    enter: async (create) => {
      const { shopId, operationId, signal } = create;
      if (isKnown(operationId)) return slot(create);
      if (create.wasLetIn) return slot(create, await slots.reacquire(shopId));
      const release = await slots.acquire(shopId, signal);
      if (release) return slot(create, release);
      // Nobody reads this answer, and it says nothing about the load.
      if (signal?.().aborted) throw asProblem(overloaded());
      if (await exists(operationId)) return slot(create);
      slots.noteRefused(shopId);
      refused.creates.inc();
      throw asProblem(overloaded());
    },
    refusesReads: (shopId) => readSlots.refuses(shopId),
    refuseRead,
    limitReads: async (c, next) => {
      const { shopId } = c.get('shop');
      const { raw } = c.req;
      const release = await readSlots.acquire(shopId, () => raw.signal);
      if (!release) throw asProblem(raw.signal.aborted ? overloaded() : refuseRead(shopId));
      try {
        await next();
      } finally {
        release();
      }
    },
  };
}

type SlotActions = {
  reacquire(): Promise<Release>;
  created(): void;
  /** Whether no other request holds a slot. */
  isAlone(): boolean;
  observe: AdaptiveLimit['observe'];
};

/** Without `acquired` it is that of a repeat, which needs no capacity. */
function createSlot(
  acquired: Release | undefined,
  { reacquire, created, isAlone, observe }: SlotActions,
): CreateSlot {
  const startedMs = performance.now();
  const beganAlone = isAlone();
  let held = acquired;
  return {
    isRepeat: acquired === undefined,
    release: () => {
      held?.();
      held = undefined;
    },
    reacquire: async () => {
      if (acquired) held ??= await reacquire();
    },
    created: (isNew) => {
      created();
      // A failed create, or a repeat, takes another time for other reasons than the load.
      const nowMs = performance.now();
      if (isNew && held) observe(nowMs - startedMs, { nowMs, isAlone: beganAlone && isAlone() });
    },
  };
}

/** Spread, so that clients that were refused together do not retry together. */
function overloaded(more: readonly [name: string, value: string][] = []): ProblemDetails {
  const { least, most } = retryAfterS;
  const seconds = least + Math.floor(Math.random() * (most - least + 1));
  return {
    code: 'not_ready',
    detail: 'the gateway is overloaded: send the same request again later',
    headers: { 'Retry-After': String(seconds), ...Object.fromEntries(more) },
  };
}

function registerMetrics(
  metrics: Metrics,
  { limit, adaptive }: { limit: { value: number }; adaptive: AdaptiveLimit },
) {
  const registers = [metrics];
  const gauge: Gauge = new Gauge({
    name: 'gateway_create_limit',
    help: 'Creates that may be in progress at a time, without the time of providers; of reads of the log four times as many',
    registers,
    collect: () => gauge.set(limit.value),
  });
  const shortest: Gauge = new Gauge({
    name: 'gateway_create_shortest_duration_seconds',
    help: 'The shortest duration of creates lately, without the time of providers: the limit follows its ratio to the average',
    registers,
    collect: () => {
      if (adaptive.shortestMs < Infinity) shortest.set(adaptive.shortestMs / 1_000);
    },
  });
  const counter = (requests: 'creates' | 'reads') =>
    new Counter({
      name: `gateway_${requests}_refused_total`,
      help: `${requests === 'creates' ? 'Creates' : 'Reads of the log'} refused with 503 because the process was overloaded`,
      registers,
    });
  return { creates: counter('creates'), reads: counter('reads') };
}
