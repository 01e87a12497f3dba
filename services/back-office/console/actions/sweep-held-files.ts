import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceContext } from '#shared/application/define-service.ts';
import type { AdminDb } from '../../api/database.ts';
import { heldMs } from './uploaded-files.ts';

const sweptEveryMs = 5 * 60_000;

type Held = { db: AdminDb; prepared: Promise<boolean>; everyMs?: number };

/**
 * Deletes expired uploads, until the stop: a statement has names and amounts, and the next upload
 * may be weeks away. Every instance does this.
 */
export function sweepHeldFiles(
  { logger, signal, onStop }: Pick<ServiceContext, 'logger' | 'signal' | 'onStop'>,
  { db, prepared, everyMs = sweptEveryMs }: Held,
): void {
  const sweep = async () => {
    await prepared;
    while (!signal.aborted) {
      const old = db
        .deleteFrom('console.held_file')
        .where('held_at', '<=', new Date(Date.now() - heldMs));
      await old
        .execute()
        .catch((err: unknown) => logger.warn({ err }, 'expired uploads could not be deleted'));
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const sweeping = sweep();
  onStop(() => sweeping);
}
