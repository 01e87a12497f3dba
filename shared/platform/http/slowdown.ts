/** Each delayed response holds a connection: beyond this number, responses are not delayed. */
const maxWaiting = 500;

/** Delays the responses to clients that send too much, a limited number at a time. */
export function createSlowdown(delayMs = 500): (() => Promise<void>) & { isFull(): boolean } {
  let waiting = 0;
  const isFull = () => waiting >= maxWaiting;
  const slowDown = async () => {
    if (isFull()) return;
    waiting += 1;
    try {
      await new Promise((resolve) => {
        setTimeout(resolve, delayMs);
      });
    } finally {
      waiting -= 1;
    }
  };
  return Object.assign(slowDown, { isFull });
}
