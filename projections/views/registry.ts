import { balances, ledgerViolations, openReservations, suspenseOpen } from './ledger.ts';
import { commissionByDay, conversionByBank, conversionByDay, turnoverByDay } from './by-day.ts';
import { operationsByHour } from './by-hour.ts';
import { clientCohortsByMonth } from './client-cohorts.ts';
import { completionTimeByDay } from './completion-time.ts';
import { dailyBalances, providerPositionByDay } from './daily-ledger.ts';
import { freshness } from './freshness.ts';
import { declinesByReason, funnelByDay } from './funnel.ts';
import { operatorActions } from './operators.ts';
import { providerHealthByDay } from './providers.ts';
import { returnedMoney } from './returned-money.ts';
import { statementDays, statementFindings } from './statements.ts';
import { attempts, timeInStatus } from './times.ts';
import type { SqlView } from './view.ts';
import { webhookAttempts, webhookDeliveryByDay, webhookMessages } from './webhooks.ts';

/** Every view in the schema of the read models. */
export const views: readonly SqlView[] = [
  turnoverByDay,
  conversionByDay,
  conversionByBank,
  commissionByDay,
  operationsByHour,
  completionTimeByDay,
  clientCohortsByMonth,
  funnelByDay,
  declinesByReason,
  attempts,
  providerHealthByDay,
  timeInStatus,
  balances,
  dailyBalances,
  providerPositionByDay,
  openReservations,
  suspenseOpen,
  returnedMoney,
  ledgerViolations,
  statementFindings,
  statementDays,
  webhookMessages,
  webhookAttempts,
  webhookDeliveryByDay,
  operatorActions,
  freshness,
];
