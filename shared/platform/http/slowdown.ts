import { setTimeout as delay } from 'node:timers/promises';

/** Each delayed answer costs a connection: beyond so many, answers are not delayed. */
const maxWaiting = 500;

/** Delays the answers to clients that send too much, so many of them at a time. */
export function createSlowdown(delayMs = 500): () => Promise<void> {
  let waiting = 0;
  return async () => {
    if (waiting >= maxWaiting) return;
    waiting += 1;
    try {
      await delay(delayMs);
    } finally {
      waiting -= 1;
    }
  };
}
