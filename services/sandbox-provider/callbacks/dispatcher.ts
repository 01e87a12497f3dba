import type { Logger } from '#shared/platform/logging/logger.ts';
import type { Callbacks, WaitingCallback } from '../store/callbacks.ts';
import { createTimerAlarm } from '../alarm.ts';
import { retryDelayMs } from './backoff.ts';
import type { SendCallback } from './send.ts';

/** Callbacks in flight; fewer would limit a gateway under load, as each waits for an append. */
export const width = 64;
/**
 * After this many attempts in a row without a response the gateway counts as down: callbacks then
 * go out one at a time, with pauses.
 */
const unavailableAfter = 10;
const pauseMs = 50;

export type CallbackDispatcher = { poke(): void; stop(): Promise<void> };

/**
 * Delivers the queued callbacks until they are accepted: in order within a key, unless its options
 * say otherwise.
 */
export function createDispatcher(
  callbacks: Callbacks,
  { send, now, logger, observe }: DispatcherOptions,
): CallbackDispatcher {
  const inFlight = new Map<number, Promise<void>>();
  const alarm = createTimerAlarm(run, logger);
  let silencesInARow = 0;

  const isUnavailable = () => silencesInARow >= unavailableAfter;
  const pause = () => (isUnavailable() ? pauseMs : 0);

  async function deliver(callback: WaitingCallback): Promise<void> {
    const sent = await send({
      id: callback.messageId,
      key: callback.key,
      body: callback.body,
      nowMs: now(),
    });
    const atMs = now();
    silencesInARow = sent.status === undefined ? silencesInARow + 1 : 0;
    observe(sent.delivered ? 'delivered' : 'failed');
    const { status, error } = sent;
    const result = {
      atMs,
      ...(status !== undefined && { status }),
      ...(error !== undefined && { error }),
    };
    if (sent.delivered) return callbacks.note(callback.id, { ...result, state: 'delivered' });
    const delayMs = retryDelayMs(
      { deliveries: callback.deliveries + 1, ageMs: atMs - callback.queuedMs },
      Math.random(),
    );
    if (delayMs === undefined) return callbacks.note(callback.id, { ...result, state: 'given_up' });
    callbacks.note(callback.id, { ...result, state: 'waiting', dueMs: atMs + delayMs });
  }

  function run() {
    const free = (isUnavailable() ? 1 : width) - inFlight.size;
    if (free <= 0) return;
    const next = callbacks.next(free + inFlight.size + 1).filter(({ id }) => !inFlight.has(id));
    const due = next.filter(({ dueMs }) => dueMs <= now()).slice(0, free);
    for (const callback of due) {
      const delivery = deliver(callback)
        .catch((error: unknown) => {
          // The database failed, so the attempt is not recorded: without a pause the same callback
          // would be sent again at once.
          silencesInARow = unavailableAfter;
          logger.error(
            { err: error, callback: callback.messageId },
            'a callback could not be handled',
          );
        })
        .finally(() => {
          inFlight.delete(callback.id);
          alarm.within(pause());
        });
      inFlight.set(callback.id, delivery);
    }
    const waiting = next.find((callback) => !due.includes(callback));
    if (waiting && due.length < free) alarm.within(waiting.dueMs - now());
  }

  return {
    poke: () => alarm.within(pause()),
    stop: async () => {
      alarm.stop();
      await Promise.all(inFlight.values());
    },
  };
}

type DispatcherOptions = {
  send: SendCallback;
  now: () => number;
  logger: Logger;
  observe: (outcome: 'delivered' | 'failed') => void;
};
