import { setTimeout as delay } from 'node:timers/promises';
import type { RawLog } from '#shared/platform/event-store/reading/raw-log.ts';
import { mayPass } from '#shared/platform/event-store/store-unavailable.ts';

const defaultPauseMs = 1_000;
/** After this long without an event the store counts as down. */
const defaultPatienceMs = 300_000;

type Options = {
  onTrouble(error: unknown): void;
  pauseMs?: number;
  patienceMs?: number;
};

/**
 * A log whose reads go on after a dropped connection, from the last event that they returned: an
 * audit of hours must not end with one restart of the store.
 */
export function createPatientLog(
  log: RawLog,
  { onTrouble, pauseMs = defaultPauseMs, patienceMs = defaultPatienceMs }: Options,
): RawLog {
  /** @throws the error if it won't pass, or has not for too long */
  const pause = async (error: unknown, since: number) => {
    if (!mayPass(error) || performance.now() - since > patienceMs) throw error;
    onTrouble(error);
    await delay(pauseMs);
  };
  const repeat = async <T>(ask: () => Promise<T>): Promise<T> => {
    const since = performance.now();
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        await pause(error, since);
      }
    }
  };
  return {
    ...log,
    head: () => repeat(log.head),
    stream: (name) => repeat(() => log.stream(name)),
    at: (position) => repeat(() => log.at(position)),
    read: async function* (after) {
      let reached = after;
      let since = performance.now();
      for (;;) {
        try {
          for await (const batch of log.read(reached)) {
            reached = batch.at(-1)?.position ?? reached;
            yield batch;
            since = performance.now();
          }
          return;
        } catch (error) {
          await pause(error, since);
        }
      }
    },
  };
}
