import { sql, type Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import { setTimeout as delay } from 'node:timers/promises';
import { Counter } from 'prom-client';
import { treeOrigin } from '#shared/domain/ledger/checkpoints.ts';
import { readEarlierClock } from '#shared/platform/database/earlier-clock.ts';
import { releaseSessionLocks, trySessionLock } from '#shared/platform/database/session-lock.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { clocksMs, createCompleteToReader } from '../as-of.ts';
import { ledgerReadModel } from '../ledger/read-model.ts';
import { isToSign, treesTable } from '../ledger/tree-tables.ts';
import { HistoryChanged, signTree } from './sign-tree.ts';
import { setSigningKey } from './set-key.ts';
import type { SigningKey } from './signing-key.ts';

type SignerOptions = {
  db: Kysely<unknown>;
  store: EventStore;
  logger: Logger;
  metrics: Metrics;
  key: SigningKey;
  now?: () => number;
  /** A ledger's tree is signed at most once in this time; in twice this time if none is new. */
  everyMs?: number;
};

const usualEveryMs = 10_000;
const pollMs = 1_000;
const pauseAfterErrorMs = 5_000;
/** How often an unchanged failure is logged and counted again. */
const refusedForMs = 60_000;
/** The pause after a failure, so that others get their turn. */
const triedForMs = 30_000;
/** The pauses for a tree after each outcome. */
const pauseAfterMs = {
  // The read model shows it by then.
  signed: 5_000,
  undecided: 5_000,
  // The newest entries are complete a moment later.
  not_due: 2_000,
  not_in_log: triedForMs,
  // The clock that is wrong may be this one, and set at any moment.
  in_future: 5_000,
} as const;
/** In one round; the others come next. */
const maxTrees = 200;

/**
 * Signs the trees of ledgers that grew, and those that a statement needs, in one process at a
 * time. It never delays an append of an entry: it follows the read model.
 */
export function startSigner(options: SignerOptions): { stop(): Promise<void> } {
  const { db, logger } = options;
  const stopped = new AbortController();
  const refused = new Counter({
    name: 'gateway_checkpoints_refused_total',
    help: 'Checkpoints not signed, because a ledger differs from what was signed before',
    registers: [options.metrics],
  });
  const noted = new LRUCache<string, true>({ max: 10_000, ttl: refusedForMs });
  const tried = new LRUCache<string, true>({ max: 10_000, ttl: triedForMs });
  const visited = new Set<string>();
  let everConnected = false;
  const run = async () => {
    while (!stopped.signal.aborted) {
      const pauseMs = await db
        .connection()
        .execute((session) => {
          everConnected = true;
          return signAsOwner(
            { ...options, session, refused, tried, visited, noted },
            stopped.signal,
          );
        })
        .catch((error: unknown) => {
          // Before, the read models log that they wait for the same database.
          const level = everConnected && !stopped.signal.aborted ? 'warn' : 'debug';
          logger[level]({ err: error }, 'checkpoints can’t be signed');
          return pauseAfterErrorMs;
        });
      await sleep(pauseMs, stopped.signal);
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopped.abort();
      await running;
    },
  };
}

const sleep = (ms: number, signal: AbortSignal) =>
  delay(ms, undefined, { signal }).catch(() => undefined);

type Session = SignerOptions & {
  session: Kysely<unknown>;
  refused: Counter;
  /** Origins of the trees that are tried again later. */
  tried: LRUCache<string, true>;
  /** Origins that had their turn: none has another before each other has had one, however slow. */
  visited: Set<string>;
  /** Those whose reason for not being signed is logged already. */
  noted: LRUCache<string, true>;
};

/** Signs until it is stopped, if no other process does. @returns how long to wait before a retry */
async function signAsOwner(options: Session, signal: AbortSignal): Promise<number> {
  const { session, store, key, now = Date.now } = options;
  if (!(await hasTrees(session)) || !(await trySessionLock(session, 'checkpoints'))) return pollMs;
  try {
    const clock = await readEarlierClock(session, now);
    const newestMs = await readNewestSigned(session);
    // The key before must not end before what it signed, whatever this clock shows.
    const validFrom = await setSigningKey(store, key, () => Math.max(clock(), newestMs));
    while (!signal.aborted) {
      await signDue(options, validFrom, signal);
      await sleep(pollMs, signal);
    }
    return 0;
  } finally {
    await releaseSessionLocks(session);
  }
}

/** At the first start of a version the read model creates its tables a moment later. */
async function hasTrees(session: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns
    where table_schema = 'gateway' and table_name = 'ledger_trees'`.execute(session);
  const names = new Set(rows.map(({ name }) => name));
  return Object.keys(treesTable.columns).every((name) => names.has(name));
}

/** The time of the newest checkpoint; 0 without one. */
async function readNewestSigned(session: Kysely<unknown>): Promise<number> {
  const { rows } = await sql<{ at: Date | null }>`
    select max(signed_at) as at from gateway.ledger_trees`.execute(session);
  return rows[0]?.at?.getTime() ?? 0;
}

async function signDue(options: Session, validFrom: number, signal: AbortSignal): Promise<void> {
  const { session, store, key, logger, tried, visited, noted, everyMs = usualEveryMs } = options;
  const { rows } = await sql<{ shop_id: string; currency: string }>`
    select shop_id, currency from gateway.ledger_trees
    where (${sql.raw(isToSign)})
      and (signed_at is null or signed_at <= now() - ${everyMs} * interval '1 ms'
        or signed_at > now() + ${clocksMs} * interval '1 ms')
      and (shop_id || '/' || currency) <> all(${[...tried.keys(), ...visited]})
    order by signed_at nulls first limit ${maxTrees}`.execute(session);
  if (rows.length < maxTrees) visited.clear();
  if (rows.length === 0) return;
  const now = await readEarlierClock(session, options.now ?? Date.now);
  const completeTo = await createCompleteToReader(
    { db: session, store, model: ledgerReadModel },
    now,
  )();
  // One ledger's failure must not keep the others unsigned.
  let failed = false;
  for (const { shop_id: shopId, currency } of rows) {
    if (signal.aborted) return;
    const origin = treeOrigin(shopId, currency);
    tried.set(origin, true);
    if (rows.length === maxTrees) visited.add(origin);
    try {
      const signing = { db: session, store, key, validFrom, now, completeTo, everyMs };
      const outcome = await signTree(signing, { shopId, currency });
      tried.set(origin, true, { ttl: pauseAfterMs[outcome] });
      if (outcome === 'in_future' && !noted.has(origin)) {
        noted.set(origin, true);
        logger.error(
          { shop_id: shopId, currency },
          'a checkpoint is not signed: the newest entry or checkpoint lies in the future of this clock',
        );
      }
    } catch (error) {
      const of = { shop_id: shopId, currency, err: error };
      if (!(error instanceof HistoryChanged)) {
        failed = true;
        if (!noted.has(origin) && !signal.aborted) logger.warn(of, 'a checkpoint can’t be signed');
        noted.set(origin, true);
        continue;
      }
      options.refused.inc();
      tried.set(origin, true, { ttl: refusedForMs });
      logger.error(of, 'a checkpoint was refused: audit the log');
    }
  }
  if (failed) throw new Error('some checkpoints can’t be signed');
}
