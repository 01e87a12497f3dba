import { vi } from 'vitest';

/**
 * A `fetch` that answers with these pauses of fake time, each before one more part; the last answer
 * is repeated.
 */
export function fetchInParts(part: string, answers: readonly (readonly number[])[]): typeof fetch {
  let count = 0;
  return async (_url, init) => {
    const pausesMs = (answers[count] ?? answers.at(-1) ?? []).values();
    count += 1;
    const signal = init?.signal;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) =>
          signal?.addEventListener('abort', () => controller.error(signal.reason)),
        pull: async (controller) => {
          const { value: pauseMs, done } = pausesMs.next();
          if (done) controller.close();
          else await vi.advanceTimersByTimeAsync(pauseMs);
          if (!done && !signal?.aborted) controller.enqueue(new TextEncoder().encode(part));
        },
      },
      // Reads no part in advance.
      { highWaterMark: 0 },
    );
    return new Response(body, { headers: { 'content-type': 'text/csv' } });
  };
}
