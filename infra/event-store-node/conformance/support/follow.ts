import type { AllStreamSubscription, StreamSubscription } from '@eventstore/db-client';
import { onTestFinished, vi } from 'vitest';

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
  /** Waits until the condition holds for what has come so far. */
  until: (isDone: (seen: Follower) => boolean, timeoutMs?: number) => Promise<void>;
};

type Subscription = AllStreamSubscription | StreamSubscription;

/** The status with which 23.10 ends a live subscriber that more than 32 events wait for. */
const aborted = 10;

/**
 * Follows a subscription until the test ends. Events come as the client hands them out, links
 * unresolved.
 */
export const follow = (subscription: Subscription): Follower => {
  const seen = newFollower();
  attach(seen, subscription);
  return seen;
};

/**
 * Follows as a client of 23.10 has to: a subscription that is ended for being too slow is resumed
 * after the last event. `subscribe` gets that event, or nothing before the first one.
 */
export const followAndResume = (
  subscribe: (last: Follower['events'][number] | undefined) => Subscription,
): Follower => {
  const seen = newFollower();
  const begin = () => {
    const stream = attach(seen, subscribe(seen.events.at(-1)));
    // What is still buffered in the stream is delivered before it closes, or not at all.
    stream.on('close', () => {
      if (seen.error?.code !== aborted) return;
      seen.error = undefined;
      seen.isEnded = false;
      begin();
    });
  };
  begin();
  return seen;
};

const newFollower = (): Follower => {
  const seen: Follower = {
    ids: () => seen.events.map(({ id }) => id),
    events: [],
    confirmations: 0,
    caughtUps: 0,
    error: undefined,
    isEnded: false,
    until: async (isDone, timeoutMs = 20_000) => {
      await vi.waitFor(
        () => {
          if (isDone(seen)) return;
          const { events, caughtUps, confirmations, error } = seen;
          throw new Error(
            `still waiting: ${confirmations} confirmations, ${events.length} events, ${caughtUps} caught-up, ${String(error)}`,
          );
        },
        { timeout: timeoutMs, interval: 5 },
      );
    },
  };
  return seen;
};

const attach = (seen: Follower, subscription: Subscription): StreamSubscription => {
  const stream = subscription as StreamSubscription;
  stream.on('confirmation', () => (seen.confirmations += 1));
  stream.on('caughtUp', () => (seen.caughtUps += 1));
  stream.on('error', (error) => (seen.error = error));
  stream.on('close', () => (seen.isEnded = true));
  stream.on('end', () => (seen.isEnded = true));
  stream.on('data', (resolved) => {
    const recorded = resolved.link ?? resolved.event;
    if (!recorded?.position) throw new Error('an event without a position');
    const { id, streamId, revision, type, position } = recorded;
    seen.events.push({ id, streamId, revision, type, position });
  });
  onTestFinished(() => stream.unsubscribe());
  return stream;
};
