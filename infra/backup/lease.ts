import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { identify, isAlive } from '#infra/process/pids.ts';
import type { Lock } from '#infra/stores/lock.ts';
import { BackupRefusal } from './refusal.ts';
import type { BackupStore } from './segments.ts';

/** The object that the process that writes to a bucket renews. */
const key = 'lease';
const renewEveryMs = 3_000;
/** One that was not renewed for this long is of a process that has died. */
const expiresAfterMs = 12_000;

const leaseSchema = z.object({
  holder: z.string(),
  host: z.string(),
  process: z.object({ pid: z.int(), startedAt: z.string() }),
  renewed: z.int(),
});
type Lease = z.infer<typeof leaseSchema>;
type LeaseStore = Pick<BackupStore, 'create' | 'get' | 'put' | 'remove'>;

/** A lock, of which its holder can learn that it has lost it. */
export type BackupLock = Lock & {
  /** Whether it is certain that no other backup may write. */
  isHeld(): Promise<boolean>;
};

/** What the lease depends on besides its store. */
export type LeaseHost = {
  host: string;
  /** Whether a process of this host is alive; undefined where the host can't determine that. */
  isAlive(process: Lease['process']): boolean | undefined;
  pause(ms: number): Promise<unknown>;
  /** Runs it again and again. @returns how to stop that */
  every(ms: number, run: () => void): () => void;
};

const thisHost: LeaseHost = {
  host: hostname(),
  isAlive: (process) => (identify(1) === undefined ? undefined : isAlive(process)),
  pause: delay,
  every: (ms, run) => {
    const timer = setInterval(run, ms).unref();
    return () => clearInterval(timer);
  },
};

/**
 * Takes the lease of a bucket. A dead holder on this machine is replaced at once, one on another
 * machine once its lease was not renewed for 12 s of this process's clock. What is certain is not
 * this but that each segment's name is created once.
 * @param holder names the caller; the same at each try, since one that failed may have an effect
 * @throws BackupRefusal while another process holds it
 */
export async function acquireLease(
  store: LeaseStore,
  holder: string,
  on: LeaseHost = thisHost,
): Promise<BackupLock> {
  const lease: Lease = {
    holder,
    host: on.host,
    process: identify(process.pid) ?? { pid: process.pid, startedAt: '' },
    renewed: 0,
  };
  const present = await readLease(store);
  if (present) {
    if (present.holder !== holder) await requireExpired(store, present, on);
    await store.remove(key);
  }
  const created = await store.create(key, encode(lease));
  if (!created || (await readLease(store))?.holder !== holder) throw heldBy('another one');
  // With other content, since the same could be an earlier try whose answer was lost.
  if (await store.create(key, encode({ ...lease, renewed: 1 }))) {
    await store.remove(key);
    throw new BackupRefusal(
      'The target replaces what it should only create (If-None-Match): two backups could overwrite each other. Name one in a service with conditional writes.',
    );
  }
  return holdLease(store, lease, on);
}

function holdLease(store: LeaseStore, lease: Lease, { every }: LeaseHost): BackupLock {
  let isLost = false;
  let renewing: Promise<void> | undefined;
  const isHeld = async (): Promise<boolean> => {
    if (!isLost && (await readLease(store))?.holder !== lease.holder) {
      isLost = true;
      stop();
    }
    return !isLost;
  };
  const renew = async (): Promise<void> => {
    // A process that was paused would replace the lease of the one that took over.
    if (!(await isHeld())) return;
    lease.renewed += 1;
    await store.put(key, encode(lease));
  };
  const stop = every(renewEveryMs, () => {
    // Without a renewal another process may take over, and the names of segments decide.
    renewing ??= renew()
      .catch(() => undefined)
      .finally(() => (renewing = undefined));
  });
  return {
    isHeld,
    release: async () => {
      stop();
      await renewing;
      if (await isHeld().catch(() => false)) await store.remove(key).catch(() => undefined);
    },
  };
}

const heldBy = (who: string) =>
  new BackupRefusal(`Another backup writes to this target: ${who} holds its lease.`);

const encode = (lease: Lease): Buffer => Buffer.from(JSON.stringify(lease), 'utf8');

async function readLease(store: LeaseStore): Promise<Lease | undefined> {
  const bytes = await store.get(key);
  if (bytes === undefined) return undefined;
  return leaseSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
}

/** @throws BackupRefusal unless its holder is dead */
async function requireExpired(store: LeaseStore, present: Lease, on: LeaseHost): Promise<void> {
  const who = `process ${present.process.pid} on ${present.host}`;
  const alive = present.host === on.host ? on.isAlive(present.process) : undefined;
  if (alive === true) throw heldBy(who);
  if (alive === false) return;
  await on.pause(expiresAfterMs);
  const later = await readLease(store);
  if (later && (later.holder !== present.holder || later.renewed !== present.renewed))
    throw heldBy(who);
}
