import { sql } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceContext } from '#shared/application/define-service.ts';
import { removeExpiredFiles } from '#shared/application/payout-batches/waiting-files.ts';
import type { ErasableReceiptStore } from '#shared/application/receipts/receipt-store.ts';
import { readEarlierClock } from '#shared/platform/database/earlier-clock.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { AdminDb } from './database.ts';

const sweptEveryMs = 60 * 60_000;

type Ports = {
  db: AdminDb;
  store: Pick<EventStore, 'read'>;
  receipts: Pick<ErasableReceiptStore, 'list' | 'remove' | 'storedAtMs'>;
  everyMs?: number;
  nowMs?: () => number;
};

/**
 * Deletes files of payouts that were not confirmed in time, until the stop: they have names and
 * numbers. Every instance does this.
 */
export function sweepWaitingFiles(
  { logger, signal, onStop }: Pick<ServiceContext, 'logger' | 'signal' | 'onStop'>,
  { db, everyMs = sweptEveryMs, nowMs = Date.now, ...stores }: Ports,
): void {
  const warn = (err: unknown, shopId?: string) =>
    logger.warn({ err, shopId }, 'files of payouts that expired could not be deleted');
  const sweep = async () => {
    const shops = sql<{ shop_id: string }>`select distinct shop_id from gateway.payout_batches`;
    const { rows } = await fromDatabase(shops.execute(db));
    const clock = await fromDatabase(readEarlierClock(db, nowMs));
    for (const { shop_id: shopId } of rows) {
      if (signal.aborted) return;
      // One shop's failure must not keep the files of others.
      await removeExpiredFiles(stores, { shopId, nowMs: clock() }).catch((err: unknown) =>
        warn(err, shopId),
      );
    }
  };
  const repeat = async () => {
    while (!signal.aborted) {
      await sweep().catch((err: unknown) => {
        // Readiness reports a database that is unavailable, or has no tables yet.
        if (!(err instanceof Problem)) warn(err);
      });
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const sweeping = repeat();
  onStop(() => sweeping);
}
