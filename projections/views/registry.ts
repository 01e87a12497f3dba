import { balances, ledgerViolations, openReservations, suspenseOpen } from './books.ts';
import { commissionByDay, conversionByBank, conversionByDay, turnoverByDay } from './by-day.ts';
import { freshness } from './freshness.ts';
import { attempts, timeInStatus } from './times.ts';
import type { View } from './view.ts';

/** Every view in the schema of the read models. */
export const views: readonly View[] = [
  turnoverByDay,
  conversionByDay,
  conversionByBank,
  commissionByDay,
  attempts,
  timeInStatus,
  balances,
  openReservations,
  suspenseOpen,
  ledgerViolations,
  freshness,
];
