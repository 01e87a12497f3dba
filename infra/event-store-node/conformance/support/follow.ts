import type { AllStreamSubscription, StreamSubscription } from '@eventstore/db-client';
import { onTestFinished, vi } from 'vitest';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

/** What a subscription has sent so far. */
export type Follower = {
  ids: () => string[];
  events: {
    id: string;
    streamId: string;
    revision: bigint;
    type: string;
    position: { commit: bigint; prepare: bigint };
  }[];
  confirmations: number;
  caughtUps: number;
  error: (Error & { type?: string; code?: number }) | undefined;
  isEnded: boolean;
  /** Waits until the condition holds for what was received so far. */
  until: (isDone: (follower: Follower) => boolean, timeoutMs?: number) => Promise<void>;
};

type Subscription = AllStreamSubscription | StreamSubscription;

/** The status with which 23.10 ends a live subscriber that more than 32 events wait for. */
const aborted = 10;

/**
 * Follows a subscription until the test ends. Events come as the client hands them out, links
 * unresolved.
 */
export const followSubscription = (subscription: Subscription): Follower => {
  const follower = newFollower();
  attach(follower, subscription);
  return follower;
};

/**
 * Follows as a client of 23.10 has to: a subscription that is ended for being too slow is resumed
 * after the last event. `subscribe` gets that event, or nothing before the first one.
 */
export const followAndResume = (
  subscribe: (last: Follower['events'][number] | undefined) => Subscription,
): Follower => {
  const follower = newFollower();
  const begin = () => {
    const stream = attach(follower, subscribe(follower.events.at(-1)));
    // The client closes it only if nothing is buffered. What is, comes again.
    stream.on('error', () => {
      if (follower.error?.code === aborted) stream.destroy();
    });
    stream.on('close', () => {
      if (follower.error?.code !== aborted) return;
      follower.error = undefined;
      follower.isEnded = false;
      begin();
    });
  };
  begin();
  return follower;
};

const newFollower = (): Follower => {
  const follower: Follower = {
    ids: () => follower.events.map(({ id }) => id),
    events: [],
    confirmations: 0,
    caughtUps: 0,
    error: undefined,
    isEnded: false,
    until: async (isDone, timeoutMs = waitLimitMs) => {
      await vi.waitFor(
        () => {
          if (isDone(follower)) return;
          const { events, caughtUps, confirmations, error } = follower;
          throw new Error(
            `still waiting: ${confirmations} confirmations, ${events.length} events, ${caughtUps} caught-up, ${String(error)}`,
          );
        },
        { timeout: timeoutMs, interval: 5 },
      );
    },
  };
  return follower;
};

const attach = (follower: Follower, subscription: Subscription): StreamSubscription => {
  const stream = subscription as StreamSubscription;
  stream.on('confirmation', () => (follower.confirmations += 1));
  stream.on('caughtUp', () => (follower.caughtUps += 1));
  stream.on('error', (error) => (follower.error = error));
  stream.on('close', () => (follower.isEnded = true));
  stream.on('end', () => (follower.isEnded = true));
  stream.on('data', (resolved) => {
    const recorded = resolved.link ?? resolved.event;
    if (!recorded?.position) throw new Error('an event without a position');
    const { id, streamId, revision, type, position } = recorded;
    follower.events.push({ id, streamId, revision, type, position });
  });
  onTestFinished(() => stream.unsubscribe());
  return stream;
};
