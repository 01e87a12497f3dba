import type { Kysely } from 'kysely';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Directory } from '#shared/directory/directory.ts';
import type { Webhook } from '#shared/domain/shop/state.ts';
import type { Component } from '../component.ts';
import type { WebhooksDatabase } from '../database/tables.ts';
import { createAttemptWriter, type AttemptWriter } from './attempt-writer.ts';
import { allDue, claim, nextDue, releaseStranded, renew, renewEveryMs, type Claimed } from './claims.ts';
import { deliver, type DeliverOptions, type UnderWay } from './deliver.ts';
import { demand, newLane, type Demand, type Lane } from './lanes.ts';
import { listenForDue } from './listen.ts';
import { createPools } from './pools.ts';
import type { RetryRules } from './record-attempts.ts';
import type { Resolve } from './resolve.ts';
import { attemptDeadlineMs } from './send.ts';

export type DispatcherOptions = Omit<DeliverOptions, 'sending'> & {
  directory: Directory;
  db: Kysely<WebhooksDatabase>;
  /** For the connection that listens. */
  databaseUrl: string;
  retry: RetryRules;
  allowPrivate: boolean;
  resolve: Resolve;
  attemptDeadlineMs?: number;
};

/** How often the table is asked for what nobody has told of: retries of a former process, endpoints enabled again. */
const sweepEveryMs = 1_000;
const releaseEveryMs = 60_000;
const errorPauseMs = 250;
/** Between rounds that find every budget taken. */
const idlePauseMs = 5;
/** How soon an endpoint that is disabled is looked at again. */
const heldRecheckMs = 500;
const stopGraceMs = 3_000;
const staleAfterMs = 5_000;

/**
 * Sends what is due. One loop claims, for all lanes together, as much as their widths allow; attempts run beside it
 * and are written together. Any number of dispatchers may run on one database.
 */
export function createDispatcher(options: DispatcherOptions): Component {
  const { directory, db, logger } = options;
  const pools = createPools(options);
  const sending = {
    pools,
    allowPrivate: options.allowPrivate,
    deadlineMs: options.attemptDeadlineMs ?? attemptDeadlineMs,
  };
  const lanes = new Map<string, Lane>();
  const underWay = new Map<string, UnderWay>();
  let wake = Promise.withResolvers<void>();
  let sweptAt = Number.NEGATIVE_INFINITY;
  let releasedAt = Number.NEGATIVE_INFINITY;
  let okAt = Number.NEGATIVE_INFINITY;

  const laneOf = (shopId: string): Lane => {
    const lane = lanes.get(shopId) ?? newLane(shopId);
    lanes.set(shopId, lane);
    return lane;
  };
  const dueIn = (lane: Lane, inMs: number) => {
    lane.wakes += 1;
    lane.dueAtMs = Math.min(lane.dueAtMs, performance.now() + inMs);
    wake.resolve();
  };

  /** The shop's endpoint where something may be sent to it now. */
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
      if (!due.has(shopId) && lane.underWay.size === 0 && lane.dueAtMs === Number.POSITIVE_INFINITY)
        lanes.delete(shopId);
    }
    sweptAt = startedAt;
  };

  /** Claims what the lanes have room for and sends it off; how much that was. */
  const round = async (writer: AttemptWriter, signal: AbortSignal): Promise<number> => {
    const wanted = await withEndpoints(demand(lanes.values(), performance.now()));
    if (wanted.length === 0) return 0;
    const endpoints = new Map(wanted.map(({ lane, endpoint }) => [lane.shopId, endpoint]));
    const wakes = new Map(wanted.map(({ lane }) => [lane, lane.wakes]));
    const claimed = await claim(
      db,
      wanted.map(({ lane, limit }) => ({ shopId: lane.shopId, limit })),
      randomUUID(),
    );
    const got = new Map<string, number>();
    for (const each of claimed) {
      got.set(each.shopId, (got.get(each.shopId) ?? 0) + 1);
      const endpoint = endpoints.get(each.shopId);
      if (endpoint) begin(each, endpoint, writer, signal);
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

  const withEndpoints = async (demands: readonly Demand[]) => {
    const found = await Promise.all(
      demands.map(async (each) => ({ ...each, endpoint: await endpointOf(each.lane.shopId) })),
    );
    return found.filter(({ lane, endpoint }) => {
      if (!endpoint) lane.heldUntilMs = performance.now() + heldRecheckMs;
      return endpoint !== undefined;
    });
  };

  const begin = (claimed: Claimed, endpoint: Webhook, writer: AttemptWriter, signal: AbortSignal) => {
    const { messageId } = claimed;
    const before = underWay.get(messageId);
    if (before) {
      // Our own lease has lapsed while the attempt still lasts: it goes on under the new claim.
      before.claimed = claimed;
      return;
    }
    const lane = laneOf(claimed.shopId);
    const entry: UnderWay = { claimed, endpoint, lane };
    underWay.set(messageId, entry);
    lane.underWay.set(messageId, performance.now());
    void deliver(entry, { ...options, sending, writer }, signal)
      .then((inMs) => inMs !== undefined && dueIn(lane, inMs))
      .catch((error: unknown) =>
        logger.error({ err: error, messageId }, 'an attempt failed in an unforeseen way'),
      )
      .finally(() => {
        underWay.delete(messageId);
        lane.underWay.delete(messageId);
        wake.resolve();
      });
  };

  /** Waits for a call or a due time; after a round that could claim nothing, for a moment at least. */
  const untilSomethingIsDue = async (claimed: number, signal: AbortSignal): Promise<void> => {
    const now = performance.now();
    let at = sweptAt + sweepEveryMs;
    for (const lane of lanes.values()) {
      if (lane.underWay.size < lane.width) at = Math.min(at, Math.max(lane.dueAtMs, lane.heldUntilMs));
    }
    if (claimed === 0) at = Math.max(at, now + idlePauseMs);
    if (at > now) {
      const timer = new AbortController();
      const until = delay(at - now, undefined, {
        signal: AbortSignal.any([signal, timer.signal]),
      });
      await Promise.race([until.catch(() => undefined), wake.promise]);
      timer.abort();
    }
    wake = Promise.withResolvers<void>();
  };

  const renewing = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await delay(renewEveryMs, undefined, { signal }).catch(() => undefined);
      const old = [...underWay.values()].filter(
        ({ claimed, lane }) => performance.now() - (lane.underWay.get(claimed.messageId) ?? 0) > renewEveryMs,
      );
      await renew(
        db,
        old.map(({ claimed }) => claimed),
      ).catch((error: unknown) => logger.warn({ err: error }, 'leases could not be renewed'));
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
      const listening = listenForDue({
        databaseUrl: options.databaseUrl,
        onDue: (shopId) => dueIn(laneOf(shopId), 0),
        onConnected: () => {
          sweptAt = Number.NEGATIVE_INFINITY;
          wake.resolve();
        },
        signal,
      });
      const holding = renewing(settled.signal);
      while (!signal.aborted) {
        try {
          if (performance.now() - sweptAt >= sweepEveryMs) await sweep();
          const claimed = await round(writer, giveUp.signal);
          okAt = performance.now();
          await untilSomethingIsDue(claimed, signal);
        } catch (error) {
          logger.warn({ err: error }, 'the dispatcher tries again');
          await delay(errorPauseMs, undefined, { signal }).catch(() => undefined);
        }
      }
      const graceEndsAt = performance.now() + stopGraceMs;
      while (underWay.size > 0 && performance.now() < graceEndsAt + stopGraceMs) {
        if (performance.now() > graceEndsAt) giveUp.abort();
        await delay(20);
      }
      giveUp.abort();
      settled.abort();
      await Promise.all([listening, holding, pools.close()]);
    },
  };
}
