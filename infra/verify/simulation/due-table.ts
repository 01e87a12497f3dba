import type { DueRow } from '#services/processor/due/due-queue.ts';
import type { DueStore, LeadSession } from '#services/processor/due/due-store.ts';
import type { LogCheckpoint } from '#shared/platform/event-store/index.ts';
import type { Instance, Network } from './network.ts';

type Leader = { from: Instance; lost: AbortController };

export type DueTable = ReturnType<typeof createDueTable>;

const database = { name: 'the database', hangs: false, session: true };

/**
 * The due store of the processors' leader in memory, with the semantics of PostgreSQL's
 * transactions.
 */
export function createDueTable() {
  const rows = new Map<string, DueRow>();
  let checkpoint: LogCheckpoint | undefined;
  let leader: Leader | undefined;

  const keep = ({ from, to, changed, removed }: Parameters<LeadSession['save']>[0]) => {
    if (checkpoint?.position !== from) throw new Error('another leader moved the position');
    checkpoint = to;
    for (const row of changed) rows.set(row.stream, row);
    for (const stream of removed) rows.delete(stream);
  };

  return {
    rows: () => [...rows.values()],
    /** How far the log was read. */
    position: () => checkpoint?.position ?? 0n,
    /** A crash of the leader: the database frees its lock with the connection. */
    connectionLost: (instance: Instance) => {
      if (leader?.from !== instance) return;
      leader.lost.abort();
      leader = undefined;
    },
    /** How an instance reaches it. */
    reach: (network: Network, from: Instance): DueStore => ({
      whileLeading: async (lead) => {
        // Its instance may crash in its first call, and the cluster must exist by then.
        await Promise.resolve();
        const call = <T>(effect: () => T) => network.call(from, database, effect);
        const mine: Leader = { from, lost: new AbortController() };
        const free = () => {
          if (leader === mine) leader = undefined;
        };
        // The lock belongs to the connection: if its answer is lost, so is the lock.
        const lock = () => from.alive && (leader ??= mine) === mine;
        const held = await call(lock).catch((error: unknown) => {
          free();
          throw error;
        });
        if (!held) return;
        const still =
          <T>(effect: () => T) =>
          () => {
            if (leader !== mine) throw new Error('the connection is gone');
            return effect();
          };
        const orLost = (error: unknown): never => {
          free();
          mine.lost.abort();
          throw error;
        };
        try {
          await lead({
            load: () => call(still(() => ({ checkpoint, rows: [...rows.values()] }))).catch(orLost),
            save: (work) => call(still(() => keep(work))).catch(orLost),
            lost: mine.lost.signal,
          });
        } finally {
          free();
        }
      },
    }),
  };
}
