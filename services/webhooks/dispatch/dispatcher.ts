import type { Kysely } from 'kysely';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Directory } from '#shared/application/directory/directory.ts';
import type { Webhook } from '#shared/domain/shop/state.ts';
import type { Component } from '../component.ts';
import type { Handover } from '../handover.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { createAlarm } from '#shared/platform/alarm.ts';
import { createAttemptWriter } from './queue/attempt-writer.ts';
import { allDue, claim, leaseMs, nextDue, releaseStranded, renew, renewEveryMs } from './queue/claims.ts';
import { heldRecheckMs, type DeliverOptions } from './send/deliver.ts';
import { demand, laneLimits, newLane, nextStuckMs, wantsMore, type Demand, type Lane } from './pace/lanes.ts';
import { listenForDue } from './queue/listen.ts';
import { createOutbox, type Outbox } from './queue/outbox.ts';
import { createPools } from './send/pools.ts';
import type { RetryRules } from './queue/record-attempts.ts';
import type { Resolve } from './guard/resolve.ts';
import { attemptDeadlineMs, createSend } from './send/send.ts';

export type DispatcherOptions = DeliverOptions & {
  directory: Directory;
  db: Kysely<WebhooksDatabase>;
  /** For the connection that listens. */
  databaseUrl: string;
  retry: RetryRules;
  allowPrivate: boolean;
  resolve: Resolve;
  attemptDeadlineMs?: number;
  /** Where an ingest may run in the same process. */
  handover?: Handover;
};

/** How often the table is asked for what nobody has told of: retries of a former process, endpoints enabled again. */
const sweepEveryMs = 2_000;
const releaseEveryMs = 60_000;
const errorPauseMs = 250;
/** From one claim to the next while anything is held: what becomes due meanwhile is claimed together. */
const claimPauseMs = 10;
/** Between rounds that find every budget taken. */
const idlePauseMs = 5;
const stopGraceMs = 3_000;
const staleAfterMs = 5_000;

/**
 * Sends what is due. One loop claims, for all lanes together and ahead of their attempts, as much as they have room for;
 * attempts run beside it and are written together. Any number of dispatchers may run on one database.
 */
export function createDispatcher(options: DispatcherOptions): Component {
  const { directory, db, logger } = options;
  const lanes = new Map<string, Lane>();
  const alarm = createAlarm();
  let sweptAt = Number.NEGATIVE_INFINITY;
  let releasedAt = Number.NEGATIVE_INFINITY;
  let claimedAt = Number.NEGATIVE_INFINITY;
  let okAt = Number.NEGATIVE_INFINITY;

  const laneOf = (shopId: string): Lane => {
    const lane = lanes.get(shopId) ?? newLane(shopId);
    lanes.set(shopId, lane);
    return lane;
  };
  const dueIn = (shopId: string, inMs: number) => {
    const lane = laneOf(shopId);
    lane.wakes += 1;
    lane.dueAtMs = Math.min(lane.dueAtMs, performance.now() + inMs);
    alarm.ring();
  };

  const endpointOf = async (shopId: string): Promise<Webhook | undefined> => {
    const webhook = (await directory.byId(shopId))?.webhook;
    return webhook?.enabled && webhook.secret !== '' ? webhook : undefined;
  };

  const sweep = async (): Promise<void> => {
    const startedAt = performance.now();
    if (startedAt - releasedAt > releaseEveryMs) {
      const released = await releaseStranded(db);
      if (released > 0) logger.warn({ messages: released }, 'messages waited for nothing and are due now');
      releasedAt = startedAt;
    }
    const due = await allDue(db);
    for (const [shopId, inMs] of due) {
      const lane = laneOf(shopId);
      lane.dueAtMs = Math.min(lane.dueAtMs, performance.now() + inMs);
    }
    for (const [shopId, lane] of lanes) {
      const idle = lane.unwritten === 0 && lane.claimed.length === 0;
      if (idle && !due.has(shopId) && lane.dueAtMs === Number.POSITIVE_INFINITY) lanes.delete(shopId);
    }
    sweptAt = startedAt;
  };

  /** Claims what the lanes have room for and hands it over; how much that was. */
  const round = async (outbox: Outbox): Promise<number> => {
    const wanted = await withEndpoints(demand(lanes.values(), performance.now()));
    if (wanted.length === 0) return 0;
    const wakes = new Map(wanted.map(({ lane }) => [lane, lane.wakes]));
    claimedAt = performance.now();
    const claimed = await claim(
      db,
      wanted.map(({ lane, limit }) => ({ shopId: lane.shopId, limit })),
      randomUUID(),
    );
    const got = new Map<string, number>();
    for (const each of claimed) {
      got.set(each.shopId, (got.get(each.shopId) ?? 0) + 1);
      outbox.add(each, laneOf(each.shopId));
    }
    const empty = wanted.filter(({ lane, limit }) => (got.get(lane.shopId) ?? 0) < limit);
    if (empty.length === 0) return claimed.length;
    const next = await nextDue(
      db,
      empty.map(({ lane }) => lane.shopId),
    );
    for (const { lane } of empty) {
      // Told of something meanwhile: this look may have been too early.
      if (lane.wakes !== wakes.get(lane)) continue;
      lane.dueAtMs = performance.now() + (next.get(lane.shopId) ?? Number.POSITIVE_INFINITY);
    }
    return claimed.length;
  };

  const withEndpoints = async (demands: readonly Demand[]): Promise<Demand[]> => {
    const enabled = await Promise.all(demands.map(({ lane }) => endpointOf(lane.shopId)));
    return demands.filter(({ lane }, index) => {
      if (!enabled[index]) lane.heldUntilMs = performance.now() + heldRecheckMs;
      return enabled[index] !== undefined;
    });
  };

  /** What the lanes of some shops would take at once, beside all that they hold. */
  const roomFor = async (shopIds: ReadonlySet<string>): Promise<Map<string, number>> => {
    for (const shopId of shopIds) laneOf(shopId);
    const asks = ({ shopId }: Lane) => shopIds.has(shopId);
    const demands = demand(lanes.values(), performance.now(), laneLimits, asks);
    return new Map((await withEndpoints(demands)).map(({ lane, limit }) => [lane.shopId, limit]));
  };

  /**
   * Waits for a call or a due time; a while after a claim, so that the next one finds more than a few, and after a round
   * that could claim nothing.
   */
  const untilSomethingIsDue = async (outbox: Outbox, claimed: number): Promise<void> => {
    const heldBack = claimedAt + claimPauseMs - performance.now();
    if (outbox.size() > 0 && heldBack > 0) await delay(heldBack);
    const now = performance.now();
    let at = sweptAt + sweepEveryMs;
    for (const lane of lanes.values()) {
      const roomAt = wantsMore(lane, now) ? now : nextStuckMs(lane, now);
      at = Math.min(at, Math.max(lane.dueAtMs, lane.heldUntilMs, roomAt));
    }
    await alarm.sleep(claimed === 0 ? Math.max(at - now, idlePauseMs) : at - now);
  };

  const renewing = async (outbox: Outbox, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await delay(renewEveryMs, undefined, { signal }).catch(() => undefined);
      const leaseEndsMs = performance.now() + leaseMs;
      const claims = outbox.olderThan(renewEveryMs);
      const kept = await renew(db, claims).catch((error: unknown) =>
        logger.warn({ err: error }, 'leases could not be renewed'),
      );
      for (const claimed of claims) if (kept?.has(claimed.messageId)) claimed.leaseEndsMs = leaseEndsMs;
    }
  };

  return {
    name: 'dispatch',
    notReady: () =>
      performance.now() - okAt > staleAfterMs ? 'the dispatcher does not reach its stores' : undefined,
    run: async (signal) => {
      // Attempts under way at the end get a moment longer than the loop that claims.
      const giveUp = new AbortController();
      const settled = new AbortController();
      const writer = createAttemptWriter({ db, retry: options.retry, logger, signal: giveUp.signal });
      const pools = createPools(options);
      const deadlineMs = options.attemptDeadlineMs ?? attemptDeadlineMs;
      const send = createSend({ pools, allowPrivate: options.allowPrivate, deadlineMs }, giveUp.signal);
      const outbox = createOutbox({ ...options, send, writer, endpointOf, onDue: dueIn, onRoom: alarm.ring });
      const listening = listenForDue({
        databaseUrl: options.databaseUrl,
        onDue: (shopId) => dueIn(shopId, 0),
        onConnected: () => {
          sweptAt = Number.NEGATIVE_INFINITY;
          alarm.ring();
        },
        signal,
      });
      options.handover?.open({
        roomFor,
        send: (claimed) => {
          for (const each of claimed) outbox.add(each, laneOf(each.shopId));
        },
      });
      const holding = renewing(outbox, settled.signal);
      signal.addEventListener('abort', alarm.ring, { once: true });
      while (!signal.aborted) {
        try {
          if (performance.now() - sweptAt >= sweepEveryMs) await sweep();
          outbox.tend();
          const claimed = await round(outbox);
          okAt = performance.now();
          await untilSomethingIsDue(outbox, claimed);
        } catch (error) {
          logger.warn({ err: error }, 'the dispatcher tries again');
          await delay(errorPauseMs, undefined, { signal }).catch(() => undefined);
        }
      }
      options.handover?.close();
      outbox.close();
      const graceEndsAt = performance.now() + stopGraceMs;
      while (outbox.size() > 0 && performance.now() < graceEndsAt + stopGraceMs) {
        if (performance.now() > graceEndsAt) giveUp.abort();
        await delay(20);
      }
      giveUp.abort();
      settled.abort();
      await Promise.all([listening, holding, pools.close()]);
    },
  };
}
