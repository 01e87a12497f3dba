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

/** A lock, of which its holder can learn that it has lost it. */
export type BackupLock = Lock & {
  /** Whether it is certain that no other backup may write. */
  isHeld(): Promise<boolean>;
};

/**
 * Takes the lease of a bucket. A dead holder on this machine is replaced at once, one on another
 * machine once its lease was not renewed for 12 s of this process's clock. What is certain is not
 * this but that each segment's name is created once.
 * @param holder names the caller; the same at each try, since one that failed may have an effect
 * @throws BackupRefusal while another process holds it
 */
export async function acquireLease(store: BackupStore, holder: string): Promise<BackupLock> {
  const lease: Lease = {
    holder,
    host: hostname(),
    process: identify(process.pid) ?? { pid: process.pid, startedAt: '' },
    renewed: 0,
  };
  const present = await readLease(store);
  if (present) {
    if (present.holder !== holder) await requireExpired(store, present);
    await store.remove(key);
  }
  const created = await store.create(key, encode(lease));
  // A store without conditional writes answers as if it had created it.
  if (!created || (await readLease(store))?.holder !== lease.holder) throw heldBy('another one');
  const timer = setInterval(() => {
    lease.renewed += 1;
    // Without a renewal another process may take over, and the names of segments decide.
    store.put(key, encode(lease)).catch(() => undefined);
  }, renewEveryMs).unref();
  const isHeld = async () => (await readLease(store))?.holder === holder;
  return {
    isHeld,
    release: async () => {
      clearInterval(timer);
      if (await isHeld().catch(() => false)) await store.remove(key).catch(() => undefined);
    },
  };
}

const heldBy = (who: string) =>
  new BackupRefusal(`Another backup writes to this target: ${who} holds its lease.`);

const encode = (lease: Lease): Buffer => Buffer.from(JSON.stringify(lease), 'utf8');

async function readLease(store: BackupStore): Promise<Lease | undefined> {
  const bytes = await store.get(key);
  if (bytes === undefined) return undefined;
  return leaseSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
}

/** @throws BackupRefusal unless its holder is dead */
async function requireExpired(store: BackupStore, present: Lease): Promise<void> {
  const who = `process ${present.process.pid} on ${present.host}`;
  if (present.host === hostname() && identify(1) !== undefined) {
    if (isAlive(present.process)) throw heldBy(who);
    return;
  }
  await delay(expiresAfterMs);
  const later = await readLease(store);
  if (later && (later.holder !== present.holder || later.renewed !== present.renewed))
    throw heldBy(who);
}
