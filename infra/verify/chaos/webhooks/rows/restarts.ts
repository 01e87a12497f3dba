import { setTimeout as delay } from 'node:timers/promises';
import { fewOperations, longestDelayMs, type CrashRow } from './row.ts';

/** Stops a store, continues the load without it for a while if possible, and starts it again. */
function restarting(
  store: 'nats' | 'postgres' | 'eventStore',
  { name, signal }: { name: string; signal?: 'SIGKILL' | 'SIGQUIT' },
): CrashRow {
  return {
    name,
    round: async ({ service, load, random, fault }) => {
      await load.more(1 + random.below(fewOperations));
      const target = service.stores[store];
      await target.end(signal);
      if (store === 'eventStore') await delay(random.below(longestDelayMs));
      else await load.more(fewOperations);
      await target.start();
      fault(signal ?? 'restart');
      await load.more(fewOperations);
    },
  };
}

export const restarts = (): CrashRow[] => [
  restarting('nats', { name: 'NATS restarted' }),
  restarting('nats', { name: 'NATS killed', signal: 'SIGKILL' }),
  restarting('postgres', { name: 'PostgreSQL restarted' }),
  restarting('postgres', { name: 'PostgreSQL ended at once', signal: 'SIGQUIT' }),
  restarting('eventStore', { name: 'the event store killed', signal: 'SIGKILL' }),
];
