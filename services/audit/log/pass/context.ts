import type { Authority } from '../../authority/authority.ts';
import type { PayoutFileAuthority } from '../../authority/payout-files.ts';
import type { createOperationNotes } from './operation-notes.ts';
import type { Shops } from './shops.ts';
import type { Skips } from './skips.ts';
import type { Switches } from './switches.ts';
import type { ProviderAnswers } from './answers.ts';
import type { DayLimits } from './day-limits.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import type { Report } from '../../report/findings/findings.ts';
import type { RecentBalances } from '../../money/ledger/recent-balances.ts';
import type { CallbackReports } from '../callbacks/reports.ts';
import type { Rows } from '../../read-models/rows/record-rows.ts';
import type { FileContent } from '../payout-files/file-content.ts';
import type { StatementComparison } from '../../money/statements/statements.ts';
import type { AuditTrees } from '../../money/trees/trees.ts';

/** What all judges share. */
export type AuditContext = {
  entities: EntityStore;
  shops: Shops;
  authority: Authority;
  rows: Rows;
  /** Such as payouts that cost more than agreed: the books are right, but people want to know. */
  operationNotes: ReturnType<typeof createOperationNotes>;
  /** The providers that operators switched off. */
  switches: Switches;
  /** The stored callbacks of providers. */
  reports: CallbackReports;
  providerStatements: StatementComparison;
  /** The trees of shops' entries, and their signed roots. */
  trees: AuditTrees;
  /** What routes took on a day. */
  dayLimits: DayLimits;
  /** Why routes were skipped. */
  skips: Skips;
  /** Providers' responses, which are unsigned. */
  answers: ProviderAnswers;
  payoutFiles: PayoutFileAuthority;
  fileContent: FileContent;
  /** What ledgers had when decisions were made. */
  balances: RecentBalances;
  report: Report;
};
