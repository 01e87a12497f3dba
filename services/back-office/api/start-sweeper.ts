import type { ServiceContext } from '#shared/application/define-service.ts';
import type { CheckpointGuard } from '#shared/platform/event-store/index.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import { createSweepCheckpoints } from './sweep-checkpoints.ts';
import { unpostedAdjustments } from './adjustments/finish-pending.ts';
import { openErasures, type EraserOptions } from './erasure/finish-erasures.ts';
import { missingAnnouncements } from './setup/missing-announcements.ts';
import { sweepUnfinished } from './sweeper.ts';

type SweeperPorts = Pick<EraserOptions, 'store' | 'db' | 'receipts'> & {
  ledgers: Ledgers;
  prepared: Promise<boolean>;
  guard: CheckpointGuard;
};

/** Until the service stops, finishes the work of admin commands whose process died. */
export function startSweeper(
  { logger, signal, onStop }: Pick<ServiceContext, 'logger' | 'signal' | 'onStop'>,
  { ledgers, prepared, guard, ...ports }: SweeperPorts,
): void {
  const { store, db } = ports;
  const sweeping = sweepUnfinished({
    store,
    guard,
    logger,
    signal,
    checkpoints: createSweepCheckpoints(db, prepared),
    tasks: [
      unpostedAdjustments({ store, ledgers, logger }),
      openErasures({ ...ports, logger }),
      missingAnnouncements({ store, logger }),
    ],
  });
  onStop(() => sweeping);
}
