import { randomUUID } from 'node:crypto';
import type { Claim, DueWork, FeedSession, ReadOn } from '#services/processor/due/due-work.ts';
import { workIn } from '#services/processor/due/rows.ts';
import type { Instance, Network } from './network.ts';

type Row = Omit<Claim, 'token'> & { dueMs: number; lease?: { token: string; untilMs: number } | undefined };
type Feeder = { from: Instance; lost: AbortController };

/** The processors' table of due work, in memory: what PostgreSQL does in each of its transactions. */
export type DueTable = {
  rows(): readonly { stream: string; dueMs: number }[];
  /** How far the log was read. */
  position(): bigint;
  /** What a crash does to whoever feeds: the database frees the lock with the connection. */
  connectionLost(instance: Instance): void;
  /** How an instance reaches it. */
  reach(network: Network, from: Instance): DueWork;
};

const database = { name: 'the database', hangs: false, session: true };

export function createDueTable(): DueTable {
  const rows = new Map<string, Row>();
  let feed: { position: bigint; caughtUp: boolean } | undefined;
  let feeder: Feeder | undefined;

  const claim = ({ limit, leaseMs }: { limit: number; leaseMs: number }): Claim[] => {
    if (!feed?.caughtUp) return [];
    const nowMs = Date.now();
    const token = randomUUID();
    return [...rows.values()]
      .filter(({ dueMs, lease }) => dueMs <= nowMs && (!lease || lease.untilMs < nowMs))
      .toSorted((left, right) => left.dueMs - right.dueMs)
      .slice(0, limit)
      .map((row) => {
        row.lease = { token, untilMs: nowMs + leaseMs };
        const { stream, heardAt, revision, asks, tries, done } = row;
        return { stream, token, heardAt, revision, asks, tries, done };
      });
  };

  const renew = (claims: readonly Claim[], leaseMs: number) => {
    for (const { stream, token } of claims) {
      const row = rows.get(stream);
      if (row?.lease?.token === token) row.lease = { token, untilMs: Date.now() + leaseMs };
    }
  };

  const release: (...given: Parameters<DueWork['release']>) => void = (
    { stream, token },
    { revision, next },
  ) => {
    const row = rows.get(stream);
    if (row?.lease?.token !== token) return;
    const done = [...new Set([...row.done, ...(next?.done ?? [])])];
    if (row.revision > revision) Object.assign(row, { lease: undefined, done });
    else if (!next) rows.delete(stream);
    else {
      const { dueAt, heardAt, asks, tries } = next;
      rows.set(stream, { stream, dueMs: dueAt.getTime(), heardAt, asks, tries, revision, done });
    }
  };

  const keep = ({ batch, from, to, caughtUp, timings }: ReadOn) => {
    if (feed?.position !== from) throw new Error('another feed moved the checkpoint');
    feed = { position: to, caughtUp: caughtUp || (feed?.caughtUp ?? false) };
    const work = workIn(batch, timings);
    for (const { stream, due_at: dueAt, heard_at: heardAt, revision } of work.rows) {
      const known = rows.get(stream);
      if (known && known.revision >= revision) continue;
      const heard = { heardAt: new Date(heardAt), revision, asks: 0 };
      if (dueAt !== null) {
        const lease = known?.lease;
        rows.set(stream, {
          stream,
          ...heard,
          dueMs: Date.parse(dueAt),
          tries: 0,
          done: known?.done ?? [],
          lease,
        });
      } else if (known) Object.assign(known, heard);
    }
    for (const { stream, done } of work.marks) {
      const row = rows.get(stream);
      if (row) row.done = [...new Set([...row.done, ...done])];
    }
  };

  return {
    rows: () => [...rows.values()].map(({ stream, dueMs }) => ({ stream, dueMs })),
    position: () => feed?.position ?? 0n,
    connectionLost: (instance) => {
      if (feeder?.from !== instance) return;
      feeder.lost.abort();
      feeder = undefined;
    },
    reach: (network, from) => {
      const call = <T>(effect: () => T) => network.call(from, database, effect);
      return {
        // Most of the time nothing is due: that costs the simulation no step.
        claim: async (wanted) => (anythingDue(rows) ? call(() => claim(wanted)) : []),
        renew: (claims, leaseMs) => call(() => renew(claims, leaseMs)),
        release: (held, verdict) => call(() => release(held, verdict)),
        overdue: async () => ({ streams: 0, oldestAgeMs: 0 }),
        whileFeeding: async (run) => {
          const mine: Feeder = { from, lost: new AbortController() };
          const free = () => {
            if (feeder === mine) feeder = undefined;
          };
          // The lock is the connection's: where its answer is lost, so is the lock.
          const lock = () => from.alive && (feeder ??= mine) === mine;
          const held = await call(lock).catch((error: unknown) => {
            free();
            throw error;
          });
          if (!held) return;
          const still =
            <T>(effect: () => T) =>
            () => {
              if (feeder !== mine) throw new Error('the connection is gone');
              return effect();
            };
          const orLost = (error: unknown): never => {
            free();
            mine.lost.abort();
            throw error;
          };
          const session: FeedSession = {
            position: () => call(still(() => feed?.position)).catch(orLost),
            keep: (read) => call(still(() => keep(read))).catch(orLost),
            lost: mine.lost.signal,
          };
          try {
            await run(session);
          } finally {
            free();
          }
        },
      };
    },
  };
}

function anythingDue(rows: ReadonlyMap<string, Row>): boolean {
  const nowMs = Date.now();
  for (const { dueMs, lease } of rows.values()) {
    if (dueMs <= nowMs && (!lease || lease.untilMs < nowMs)) return true;
  }
  return false;
}
