import { Counter, Gauge } from 'prom-client';
import { operationStream } from '#shared/domain/operation/events.ts';
import { atMost } from '#shared/platform/at-most.ts';
import { LRUCache } from 'lru-cache';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { ConcurrencyLimit, longestMs } from './concurrency-limit.ts';
import { FairSlots } from './fair-slots.ts';
import { createLookup, type FindAll } from './batched-lookup.ts';

/** The part of the process's capacity that a create holds. */
export type Slot = {
  /** Whether the operation was created before: the request is a repeat. */
  isRepeat: boolean;
  /** Call it before a provider is called, which may take long. May be called again. */
  release(): void;
  /** The operation exists from now on: repeats are not refused. */
  created(): void;
};

export type CreateGate = {
  /**
   * Lets a create in, or refuses it when the process is overloaded. A repeat is always let in.
   * @throws Problem not_ready
   */
  enter(create: { shopId: string; operationId: string }): Promise<Slot>;
};

export type GateOptions = {
  store: Pick<EventStore, 'recent'>;
  metrics: Metrics;
  /** Which of the operations are in the read model; undefined if this process has none. */
  find?: FindAll;
  /** Whether the event store is in this process. */
  storeInProcess?: boolean;
  /** Only tests set another one. */
  limit?: { value: number };
};

/** The longest wait of a create before it is refused; a burst ends sooner. */
const waitMs = 200;
const waitersPerShop = 16;
const waiters = 128;
/** About as many operations as are created in ten minutes at the highest rate; some 10 MB. */
const maxCached = 100_000;
/** How long a refusal may wait for the read model. */
const lookupMs = 300;
const retryAfterS = { least: 1, most: 5 };

/**
 * Limits the creates in progress to what the process can finish. A provider's time is not counted:
 * one that hangs takes no slots.
 */
export function createCreateGate({
  store,
  metrics,
  find,
  storeInProcess = false,
  limit: fixed,
}: GateOptions): CreateGate {
  const adaptive = new ConcurrencyLimit(longestMs[storeInProcess ? 'inProcess' : 'overNetwork']);
  const limit = fixed ?? adaptive;
  const slots = new FairSlots({ limit: () => limit.value, waitMs, waitersPerShop, waiters });
  const refused = observe(metrics, limit);
  const existingIds = new LRUCache<string, true>({ max: maxCached });
  const lookUp = find && createLookup(find);

  const exists = async (id: string) =>
    existingIds.has(id) ||
    store.recent(operationStream(id)) !== undefined ||
    (lookUp && (await atMost(lookupMs, lookUp(id)).catch(() => false)) === true);
  const slot = (operationId: string, release?: () => void): Slot => ({
    isRepeat: release === undefined,
    release: () => release?.(),
    created: () => {
      existingIds.set(operationId, true);
    },
  });
  const timed = (release: () => void) => {
    const startedMs = performance.now();
    let open = true;
    return () => {
      release();
      const nowMs = performance.now();
      if (open) adaptive.observe(nowMs - startedMs, nowMs);
      open = false;
    };
  };
  return {
    enter: async ({ shopId, operationId }) => {
      if (existingIds.has(operationId)) return slot(operationId);
      const release = await slots.acquire(shopId);
      if (release) return slot(operationId, timed(release));
      if (await exists(operationId)) return slot(operationId);
      refused.inc();
      throw overloaded();
    },
  };
}

/** Spread, so that clients that were refused together do not retry together. */
function overloaded(): Problem {
  const { least, most } = retryAfterS;
  const seconds = least + Math.floor(Math.random() * (most - least + 1));
  return new Problem('not_ready', {
    detail: 'the gateway is overloaded: send the same request again later',
    headers: { 'Retry-After': String(seconds) },
  });
}

function observe(metrics: Metrics, limit: { value: number }): Counter {
  const gauge: Gauge = new Gauge({
    name: 'gateway_create_limit',
    help: 'Creates that may be in progress at a time, without the time of providers',
    registers: [metrics],
    collect: () => gauge.set(limit.value),
  });
  return new Counter({
    name: 'gateway_creates_refused_total',
    help: 'Creates refused with 503 because the process was overloaded',
    registers: [metrics],
  });
}
