import { sql, type Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import { setTimeout as delay } from 'node:timers/promises';
import { Counter } from 'prom-client';
import { releaseSessionLocks, trySessionLock } from '#shared/platform/database/session-lock.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
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
  /** A shop's tree is signed at most once in this time. */
  everyMs?: number;
};

const usualEveryMs = 10_000;
const pollMs = 1_000;
const pauseAfterErrorMs = 5_000;
/** A shop without entries is signed once, when none came in this time. */
const emptyAfterMs = 30_000;
/** How often an unchanged failure is logged and counted again. */
const refusedForMs = 60_000;
/** The pause after a signature, or before one is due: the read model shows it by then. */
const signedForMs = 5_000;
/**
 * The pause after a failure, or for a tree that is not in the log, so that others get their turn.
 */
const triedForMs = 30_000;
/** In one round; the others come next. */
const maxTrees = 200;

/**
 * Signs the trees of shops that grew, in one process at a time. It never delays an append of an
 * entry: it follows the read model.
 */
export function startSigner(options: SignerOptions): { stop(): Promise<void> } {
  const { db, logger } = options;
  const stopped = new AbortController();
  const refused = new Counter({
    name: 'gateway_checkpoints_refused_total',
    help: 'Checkpoints not signed, because a ledger differs from what was signed before',
    registers: [options.metrics],
  });
  const tried = new LRUCache<string, true>({ max: 10_000, ttl: triedForMs });
  let everConnected = false;
  const run = async () => {
    while (!stopped.signal.aborted) {
      const pauseMs = await db
        .connection()
        .execute((session) => {
          everConnected = true;
          return signAsOwner({ ...options, session, refused, tried }, stopped.signal);
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
  /** Shops that are tried again later. */
  tried: LRUCache<string, true>;
};

/** Signs until it is stopped, if no other process does. @returns how long to wait before a retry */
async function signAsOwner(options: Session, signal: AbortSignal): Promise<number> {
  const { session, store, key, now = Date.now } = options;
  if (!(await hasTrees(session)) || !(await trySessionLock(session, 'checkpoints'))) return pollMs;
  try {
    await setSigningKey(store, key, now);
    while (!signal.aborted) {
      await signGrown(options, signal);
      await sleep(pollMs, signal);
    }
    return 0;
  } finally {
    await releaseSessionLocks(session);
  }
}

/** At the first start the read model creates its tables a moment later. */
async function hasTrees(session: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ found: string | null }>`
    select to_regclass('gateway.ledger_trees')::text as found`.execute(session);
  return rows[0]?.found != null;
}

async function signGrown(options: Session, signal: AbortSignal): Promise<void> {
  const { session, store, key, logger, tried, now = Date.now, everyMs = usualEveryMs } = options;
  const { rows } = await sql<{ shop_id: string; size: number }>`
    select shop_id, size from gateway.ledger_trees
    where size > coalesce(signed_size, -1)
      and (signed_at is null or signed_at <= ${new Date(now() - everyMs)})
      and (size > 0 or newest_at <= ${new Date(now() - emptyAfterMs)})
      and shop_id <> all(${[...tried.keys()]})
    order by signed_at nulls first limit ${maxTrees}`.execute(session);
  // One shop's failure must not keep the others unsigned.
  let failure: unknown;
  for (const { shop_id: shopId, size } of rows) {
    if (signal.aborted) return;
    tried.set(shopId, true);
    try {
      const outcome = await signTree({ db: session, store, key, now, everyMs }, { shopId, size });
      if (outcome !== 'not_in_log') tried.set(shopId, true, { ttl: signedForMs });
    } catch (error) {
      if (!(error instanceof HistoryChanged)) {
        failure ??= error;
        continue;
      }
      options.refused.inc();
      tried.set(shopId, true, { ttl: refusedForMs });
      logger.error({ shop_id: shopId, err: error }, 'a checkpoint was refused: audit the log');
    }
  }
  if (failure !== undefined) throw failure;
}
