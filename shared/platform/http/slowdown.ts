import { setTimeout as delay } from 'node:timers/promises';

/** Each delayed response holds a connection: beyond this number, responses are not delayed. */
const maxWaiting = 500;

/** Delays the responses to clients that send too much, a limited number at a time. */
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
