import { setTimeout as delay } from 'node:timers/promises';
import { rebuildMoments, type NamedMoment } from '../moments.ts';
import { fewOperations, longestDelayMs, type CrashRow } from './row.ts';

/** Ends a store, lets the load go on without it for a while where it can, and starts it again. */
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

const wiped: CrashRow = {
  name: 'NATS with its data wiped',
  round: async ({ service: { stores }, load, random, fault }) => {
    await load.more(1 + random.below(fewOperations));
    await stores.nats.end(random.below(2) === 0 ? 'SIGKILL' : undefined);
    stores.nats.wipe();
    await load.more(fewOperations);
    await stores.nats.start();
    fault('wiped');
    await load.more(fewOperations);
  },
};

/** The relay is killed while it fills the stream again, each time at another step. */
function wipedTwice(): CrashRow {
  let left: NamedMoment[] = [];
  return {
    name: 'NATS wiped, the relay killed meanwhile',
    round: async ({ service: { stores, parts }, load, random, fault }) => {
      if (left.length === 0) left = random.shuffled(rebuildMoments);
      const moment = left.pop();
      if (!moment) return;
      await load.more(1 + random.below(fewOperations));
      await stores.nats.end('SIGKILL');
      stores.nats.wipe();
      await load.more(fewOperations);
      const reached = parts.relay.until(moment);
      await Promise.all([reached, stores.nats.start()]);
      await parts.relay.kill();
      fault(moment.name);
      parts.relay.start();
      await load.more(fewOperations);
    },
  };
}

const olderCopy: CrashRow = {
  name: 'NATS set back to an older copy',
  round: async ({ service: { stores, parts }, load, random, fault }) => {
    const { nats } = stores;
    await load.more(fewOperations);
    await nats.end();
    nats.save();
    await nats.start();
    // What is published now and not taken is what the copy does not have.
    await parts.ingest.kill();
    await load.more(fewOperations + random.below(fewOperations));
    await nats.end('SIGKILL');
    nats.restore();
    await nats.start();
    fault('older copy');
    parts.ingest.start();
    await load.more(fewOperations);
  },
};

export const restarts = (): CrashRow[] => [
  restarting('nats', { name: 'NATS restarted' }),
  restarting('nats', { name: 'NATS killed', signal: 'SIGKILL' }),
  restarting('postgres', { name: 'PostgreSQL restarted' }),
  restarting('postgres', { name: 'PostgreSQL ended at once', signal: 'SIGQUIT' }),
  restarting('eventStore', { name: 'the event store killed', signal: 'SIGKILL' }),
  wiped,
  wipedTwice(),
  olderCopy,
];
