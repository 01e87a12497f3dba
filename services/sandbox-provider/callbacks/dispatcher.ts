import type { Logger } from '#shared/logger.ts';
import type { Callbacks, WaitingCallback } from '../store/callbacks.ts';
import { retryDelayMs } from './backoff.ts';
import type { SendCallback } from './send.ts';

const width = 16;
/** From so many failures in a row on, the gateway is taken to be away: one try at a time, with a pause between. */
const awayAfter = 10;
const pauseMs = 50;
const longestSleepMs = 60_000;

export type Dispatcher = { poke(): void; stop(): Promise<void> };

/** Delivers what is queued, until it is taken: in order within a key, unless told to misbehave. */
export function createDispatcher(
  callbacks: Callbacks,
  { send, now, logger, observe }: DispatcherOptions,
): Dispatcher {
  const inFlight = new Map<number, Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let failuresInARow = 0;
  let stopped = false;

  async function deliver(callback: WaitingCallback): Promise<void> {
    const sent = await send({ id: callback.messageId, body: callback.body, nowMs: now() });
    const atMs = now();
    failuresInARow = sent.delivered ? 0 : failuresInARow + 1;
    observe(sent.delivered ? 'delivered' : 'failed');
    const { status, error } = sent;
    const seen = { atMs, ...(status !== undefined && { status }), ...(error !== undefined && { error }) };
    if (sent.delivered) return callbacks.note(callback.id, { ...seen, state: 'delivered' });
    const delayMs = retryDelayMs(
      { deliveries: callback.deliveries + 1, ageMs: atMs - callback.queuedMs },
      Math.random(),
    );
    if (delayMs === undefined) return callbacks.note(callback.id, { ...seen, state: 'given_up' });
    callbacks.note(callback.id, { ...seen, state: 'waiting', dueMs: atMs + delayMs });
  }

  function run() {
    const away = failuresInARow >= awayAfter;
    const free = (away ? 1 : width) - inFlight.size;
    if (free <= 0) return;
    const next = callbacks.next(free + inFlight.size + 1).filter(({ id }) => !inFlight.has(id));
    const due = next.filter(({ dueMs }) => dueMs <= now()).slice(0, free);
    for (const callback of due) {
      const delivery = deliver(callback)
        .catch((error: unknown) => {
          failuresInARow += 1;
          logger.error({ err: error, callback: callback.messageId }, 'a callback could not be handled');
        })
        .finally(() => {
          inFlight.delete(callback.id);
          arm(failuresInARow >= awayAfter ? pauseMs : 0);
        });
      inFlight.set(callback.id, delivery);
    }
    const waiting = next.find((callback) => !due.includes(callback));
    if (waiting && due.length < free) arm(waiting.dueMs - now());
  }

  function arm(inMs: number) {
    clearTimeout(timer);
    if (stopped) return;
    timer = setTimeout(
      () => {
        try {
          run();
        } catch (error) {
          logger.error({ err: error }, 'callbacks could not be looked up');
          arm(1000);
        }
      },
      Math.min(Math.max(inMs, 0), longestSleepMs),
    );
  }

  return {
    poke: () => arm(failuresInARow >= awayAfter ? pauseMs : 0),
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await Promise.all(inFlight.values());
    },
  };
}

export type DispatcherOptions = {
  send: SendCallback;
  now: () => number;
  logger: Logger;
  observe: (outcome: 'delivered' | 'failed') => void;
};
