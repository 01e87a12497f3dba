import type { Kysely } from 'kysely';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Directory } from '#shared/application/directory/directory.ts';
import type { WebhookEndpoint } from '#shared/domain/shop/state.ts';
import { failingAfterMs } from '#shared/domain/shop/decide.ts';
import { endpointIn } from '#shared/domain/shop/decide.ts';
import type { Component } from '../component.ts';
import type { Handover } from '../handover.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import type { PersonalData } from '#shared/application/personal-data/personal-data.ts';
import { openBody } from '#shared/application/webhooks/open-body.ts';
import { createAlarm } from '#shared/platform/alarm.ts';
import { atMost } from '#shared/platform/at-most.ts';
import { createAttemptWriter } from './queue/attempt-writer.ts';
import { leaseMs, type ClaimedMessage, type RecordedClaim } from '../claim.ts';
import {
  allDue,
  cancelWaiting,
  claimMessages,
  nextDue,
  releaseStranded,
  renew,
  renewEveryMs,
  withhold,
} from './queue/claims.ts';
import { createContentCheck, type CheckOptions } from './check-content.ts';
import { createCheckQueue, type CheckQueue } from './check-queue.ts';
import { heldRecheckMs, type DeliverOptions } from './send/deliver.ts';
import { noteFailing } from './failing.ts';
import { DueHints } from './pace/due-hints.ts';
import { LaneTable } from './pace/lane-table.ts';
import { demand, laneLimits, type Demand, type Lane } from './pace/lanes.ts';
import { listenForDue } from './queue/listen.ts';
import { createDeliveryOutbox, type DeliveryOutbox } from './outbox.ts';
import { createPools } from './send/pools.ts';
import type { RetryRules } from './queue/record-attempts.ts';
import type { Resolve } from './guard/resolve.ts';
import { attemptDeadlineMs, createSend } from './send/send.ts';

type DispatcherOptions = DeliverOptions &
  CheckOptions & {
    directory: Directory;
    db: Kysely<WebhooksDatabase>;
    personal: Pick<PersonalData, 'openFields'>;
    /** For the connection that listens. */
    databaseUrl: string;
    retry: RetryRules;
    allowPrivate: boolean;
    resolve: Resolve;
    attemptDeadlineMs?: number;
    /** How long every attempt must fail until that is noted; an hour by default. */
    failingAfterMs?: number;
    /** Set if an ingest may run in the same process. */
    handover?: Handover;
    /** Empty at first; tests count its content. */
    lanes?: LaneTable;
  };

/**
 * How often the table is polled for work without a notification: retries of an earlier process,
 * endpoints enabled again.
 */
const sweepEveryMs = 2_000;
/** Repairs messages that a process left waiting when it died before it made them due. */
const releaseEveryMs = 15_000;
const failingEveryMs = 60_000;
const errorPauseMs = 250;
/** Usually an endpoint is cached; a read of its shop takes a few milliseconds. */
const lookupMs = 250;
const unknownRecheckMs = 2_000;
/**
 * The pause between claims while anything is claimed: messages that become due meanwhile are
 * claimed together.
 */
const claimPauseMs = 10;
/** The pause after a round in which every budget was used up. */
const idlePauseMs = 5;
/** When a message is claimed again whose check has no room, or whose event is not readable. */
const fullRecheckMs = 1_000;
const unreadRecheckMs = 2_000;
/** When a message that does not follow from the log is compared with it again. */
const forgedRecheckMs = 60_000;
const stopGraceMs = 3_000;
const staleAfterMs = 5_000;

type Endpoint = Pick<Lane, 'endpointId' | 'shopId'>;

/** The resources of one run of the dispatcher; they end with it. */
type DispatcherRun = {
  outbox: DeliveryOutbox;
  checks: CheckQueue;
  /** Aborts attempts in progress. */
  giveUp: AbortController;
  /** Waits for the work outside of the loop. */
  end(): Promise<void>;
};

/**
 * Sends due messages. One loop claims ahead for all lanes together, up to their capacity;
 * attempts run concurrently, and are written in batches. Any number of dispatchers may run on one
 * database.
 */
export class Dispatcher implements Component {
  readonly name = 'dispatch';
  readonly #options: DispatcherOptions;
  readonly #lanes: LaneTable;
  readonly #hints = new DueHints();
  readonly #alarm = createAlarm();
  readonly #content: ReturnType<typeof createContentCheck>;
  #sweptAt = Number.NEGATIVE_INFINITY;
  #releasedAt = Number.NEGATIVE_INFINITY;
  #failingAt = Number.NEGATIVE_INFINITY;
  #isEndingDeleted = false;
  #claimedAt = Number.NEGATIVE_INFINITY;
  #okAt = Number.NEGATIVE_INFINITY;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#content = createContentCheck(options);
    this.#lanes = options.lanes ?? new LaneTable();
  }

  notReady(): string | undefined {
    const stale = performance.now() - this.#okAt > staleAfterMs;
    return stale ? 'the dispatcher can’t reach its stores' : undefined;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { logger, handover } = this.#options;
    const { outbox, checks, giveUp, end } = this.#begin(signal);
    signal.addEventListener('abort', this.#alarm.ring, { once: true });
    while (!signal.aborted) {
      try {
        if (performance.now() - this.#sweptAt >= sweepEveryMs) await this.#sweep();
        await this.#checkHints();
        outbox.flush();
        const claimed = await this.#claim({ outbox, checks });
        this.#okAt = performance.now();
        await this.#untilSomethingIsDue(outbox, claimed);
      } catch (error) {
        logger.warn({ err: error }, 'the dispatcher failed, and retries');
        await delay(errorPauseMs, undefined, { signal }).catch(() => undefined);
      }
    }
    handover?.close();
    await this.#withhold(checks.close(), 0);
    outbox.close();
    await drain(outbox, giveUp);
    await end();
  }

  #begin(signal: AbortSignal): DispatcherRun {
    const { db, retry, logger, allowPrivate, databaseUrl, handover } = this.#options;
    // Attempts in progress get a little longer to end than the loop that claims.
    const giveUp = new AbortController();
    const over = new AbortController();
    const writer = createAttemptWriter({ db, retry, logger, signal: giveUp.signal });
    const pools = createPools(this.#options);
    const deadlineMs = this.#options.attemptDeadlineMs ?? attemptDeadlineMs;
    const outbox = createDeliveryOutbox({
      ...this.#options,
      send: createSend({ pools, allowPrivate, deadlineMs }, giveUp.signal),
      writer,
      openBody: (claimed) => openBody(this.#options.personal, claimed),
      endpointOf: (of) => this.#endpointOf(of),
      onDue: (lane, inMs) => this.#dueIn(lane, inMs),
      onCapacity: this.#alarm.ring,
    });
    const listening = listenForDue({
      databaseUrl,
      onDue: (endpointId) => this.#hintAt(endpointId),
      onConnected: () => this.#sweepNext(),
      signal,
    });
    handover?.open({
      capacityFor: (endpoints) => this.#capacityFor(endpoints),
      send: (claimed) => this.#add(outbox, claimed),
    });
    const renewing = this.#renew(outbox, over.signal);
    const end = async () => {
      giveUp.abort();
      over.abort();
      await Promise.all([listening, renewing, pools.close()]);
    };
    return { outbox, checks: this.#createChecks(outbox), giveUp, end };
  }

  #dueIn({ endpointId, shopId }: Endpoint, inMs: number): void {
    this.#lanes.dueIn(endpointId, { shopId, inMs }).wakes += 1;
    this.#alarm.ring();
  }

  #sweepNext(): void {
    this.#sweptAt = Number.NEGATIVE_INFINITY;
    this.#alarm.ring();
  }

  /** @returns whether it accepts more notifications */
  #hintAt(endpointId: string): boolean {
    const lane = this.#lanes.find(endpointId);
    if (lane) {
      this.#dueIn(lane, 0);
      return true;
    }
    const added = this.#hints.add(endpointId);
    if (added) this.#alarm.ring();
    else this.#sweepNext();
    return added;
  }

  /** Creates lanes for those notified endpoints that have a message due, now or later. */
  async #checkHints(): Promise<void> {
    const endpointIds = this.#hints.take();
    if (endpointIds.length === 0) return;
    const due = await nextDue(this.#options.db, endpointIds);
    for (const [endpointId, { shopId, inMs }] of due) this.#dueIn({ endpointId, shopId }, inMs);
    if (due.size === 0) this.#claimedAt = performance.now();
  }

  #add(outbox: DeliveryOutbox, claimed: readonly ClaimedMessage[]): void {
    for (const each of claimed) outbox.add(each, this.#lanes.of(each));
  }

  /** The endpoint, if messages may be sent to it; ends what waits for one that was deleted. */
  async #endpointOf({ endpointId, shopId }: Endpoint): Promise<WebhookEndpoint | undefined> {
    const shop = await this.#options.directory.byId(shopId);
    if (shop?.deletedEndpointIds.includes(endpointId)) {
      await cancelWaiting(this.#options.db, endpointId);
      return undefined;
    }
    const endpoint = shop && endpointIn(shop, endpointId);
    return endpoint?.enabled && endpoint.secret !== '' ? endpoint : undefined;
  }

  /** One shop that can't be read must not delay the webhooks of others. */
  async #stateOf(of: Endpoint): Promise<'open' | 'closed' | 'unknown'> {
    const lookup = this.#endpointOf(of).then((endpoint) => (endpoint ? 'open' : 'closed'));
    const state = await atMost(lookupMs, lookup).catch((err: unknown) => {
      const { endpointId } = of;
      this.#options.logger.warn({ err, endpointId }, 'the endpoint is currently unknown');
      return undefined;
    });
    return state ?? 'unknown';
  }

  /**
   * Alongside the loop: pending messages of a deleted endpoint end before their next attempt is
   * due.
   */
  #endDeleted(waiting: readonly Endpoint[]): void {
    if (this.#isEndingDeleted) return;
    this.#isEndingDeleted = true;
    const check = async () => {
      for (const each of waiting) await this.#endpointOf(each).catch(() => undefined);
      this.#isEndingDeleted = false;
    };
    void check();
  }

  /** Polls the table of messages for everything that is due. */
  async #sweep(): Promise<void> {
    const { db, logger } = this.#options;
    const startedAt = performance.now();
    if (startedAt - this.#releasedAt > releaseEveryMs) {
      const released = await releaseStranded(db);
      if (released > 0)
        logger.warn({ messages: released }, 'messages without a predecessor were made due');
      this.#releasedAt = startedAt;
    }
    this.#noteFailing(startedAt);
    const due = await allDue(db);
    for (const [endpointId, next] of due) this.#lanes.dueIn(endpointId, next);
    this.#endDeleted(
      [...due].flatMap(([endpointId, { shopId, inMs }]) =>
        inMs > 0 ? { endpointId, shopId } : [],
      ),
    );
    this.#lanes.dropIdle(due);
    this.#sweptAt = startedAt;
  }

  /** Alongside the loop, because it appends to the log. */
  #noteFailing(now: number): void {
    const { logger, failingAfterMs: afterMs = failingAfterMs } = this.#options;
    if (now - this.#failingAt < Math.min(failingEveryMs, afterMs)) return;
    this.#failingAt = now;
    noteFailing({ ...this.#options, afterMs }).catch((error: unknown) =>
      logger.warn({ err: error }, 'failing endpoints could not be noted, trying again'),
    );
  }

  /**
   * Claims messages up to the capacity of the lanes, and passes them to the outbox. @returns the
   * number of those that were not released again
   */
  async #claim(run: Pick<DispatcherRun, 'outbox' | 'checks'>): Promise<number> {
    const demands = await this.#withEndpoints(demand(this.#lanes.all(), performance.now()));
    if (demands.length === 0) return 0;
    const wakes = new Map(demands.map(({ lane }) => [lane, lane.wakes]));
    this.#claimedAt = performance.now();
    const limits = demands.map(({ lane, limit }) => ({ endpointId: lane.endpointId, limit }));
    const claimed = await claimMessages(this.#options.db, limits, randomUUID());
    const released = await this.#addGenuine(run, claimed);
    const counts = new Map<string, number>();
    for (const { endpointId: id } of claimed) counts.set(id, (counts.get(id) ?? 0) + 1);
    const emptied = demands.filter(({ lane, limit }) => (counts.get(lane.endpointId) ?? 0) < limit);
    await this.#noteNextDue(emptied, wakes);
    return claimed.length - released;
  }

  /**
   * Passes on the messages with a code; the others are compared with the log alongside the loop: a
   * writer of the table must not have the gateway sign anything. @returns how many were released
   */
  async #addGenuine(
    { outbox, checks }: Pick<DispatcherRun, 'outbox' | 'checks'>,
    claimed: readonly RecordedClaim[],
  ): Promise<number> {
    const byCode = Map.groupBy(claimed, (each) => this.#content.isRecognised(each));
    this.#add(outbox, byCode.get(true) ?? []);
    const left = byCode.get(false) ?? [];
    // By the lane's shop, whose endpoint was found: the row's may be made up.
    const refused = left.filter((each) => !checks.offer(each, this.#lanes.of(each).shopId));
    await this.#withhold(refused, fullRecheckMs);
    return refused.length;
  }

  #createChecks(outbox: DeliveryOutbox): CheckQueue {
    return createCheckQueue({
      check: this.#content.followsFromLog,
      onChecked: (claimed, follows) => {
        if (follows) this.#add(outbox, [claimed]);
        else void this.#withhold([claimed], follows === false ? forgedRecheckMs : unreadRecheckMs);
      },
    });
  }

  /** If it fails, they are claimed again when their lease ends. */
  async #withhold(claims: readonly RecordedClaim[], recheckMs: number): Promise<void> {
    if (claims.length === 0) return;
    await withhold(this.#options.db, claims, { recheckMs }).catch((error: unknown) =>
      this.#options.logger.warn({ err: error }, 'claims could not be released'),
    );
  }

  /** For lanes whose due messages are all claimed. `wakes`: their counts before the claim. */
  async #noteNextDue(emptied: readonly Demand[], wakes: ReadonlyMap<Lane, number>): Promise<void> {
    if (emptied.length === 0) return;
    const endpointIds = emptied.map(({ lane }) => lane.endpointId);
    const next = await nextDue(this.#options.db, endpointIds);
    for (const { lane } of emptied) {
      // A message became due meanwhile, perhaps after this query.
      if (lane.wakes !== wakes.get(lane)) continue;
      lane.dueAtMs =
        performance.now() + (next.get(lane.endpointId)?.inMs ?? Number.POSITIVE_INFINITY);
    }
  }

  async #withEndpoints(demands: readonly Demand[]): Promise<Demand[]> {
    const states = await Promise.all(demands.map(({ lane }) => this.#stateOf(lane)));
    return demands.filter(({ lane }, index) => {
      const state = states[index];
      if (state === 'open') return true;
      const pauseMs = state === 'unknown' ? unknownRecheckMs : heldRecheckMs;
      lane.heldUntilMs = performance.now() + pauseMs;
      return false;
    });
  }

  /** How many more messages the lanes of some endpoints could send at once. */
  async #capacityFor(endpoints: ReadonlyMap<string, string>): Promise<Map<string, number>> {
    for (const [endpointId, shopId] of endpoints) this.#lanes.of({ endpointId, shopId });
    const hasEndpoint = ({ endpointId }: Lane) => endpoints.has(endpointId);
    const demands = demand(this.#lanes.all(), performance.now(), laneLimits, hasEndpoint);
    return new Map(
      (await this.#withEndpoints(demands)).map(({ lane, limit }) => [lane.endpointId, limit]),
    );
  }

  /**
   * Waits for a notification or a due time. It also waits a little after a claim, so that the next
   * one finds more messages, and after a round that could claim nothing, even if notified.
   */
  async #untilSomethingIsDue(outbox: DeliveryOutbox, claimed: number): Promise<void> {
    const heldBack = this.#claimedAt + claimPauseMs - performance.now();
    if ((outbox.size() > 0 || claimed === 0) && heldBack > 0) await delay(heldBack);
    const now = performance.now();
    const at = Math.min(this.#sweptAt + sweepEveryMs, this.#lanes.nextAtMs(now));
    await this.#alarm.sleep(claimed === 0 ? Math.max(at - now, idlePauseMs) : at - now);
  }

  /** Renews the leases of claimed messages, until the signal. */
  async #renew(outbox: DeliveryOutbox, signal: AbortSignal): Promise<void> {
    const { db, logger } = this.#options;
    while (!signal.aborted) {
      await delay(renewEveryMs, undefined, { signal }).catch(() => undefined);
      const leaseEndsMs = performance.now() + leaseMs;
      const claims = outbox.olderThan(renewEveryMs);
      const renewed = await renew(db, claims).catch((error: unknown) =>
        logger.warn({ err: error }, 'leases could not be renewed'),
      );
      for (const claimed of claims)
        if (renewed?.has(claimed.messageId)) claimed.leaseEndsMs = leaseEndsMs;
    }
  }
}

/**
 * Lets attempts in progress end for a while, then aborts them, and waits until their outcomes are
 * written.
 */
async function drain(outbox: DeliveryOutbox, giveUp: AbortController): Promise<void> {
  const graceEndsAt = performance.now() + stopGraceMs;
  while (outbox.size() > 0 && performance.now() < graceEndsAt + stopGraceMs) {
    if (performance.now() > graceEndsAt) giveUp.abort();
    await delay(20);
  }
}
