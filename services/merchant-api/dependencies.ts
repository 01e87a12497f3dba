import type { Kysely } from 'kysely';
import type { Directory } from '#shared/application/directory/directory.ts';
import type { Exports } from '#shared/platform/csv/exports.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { EntryPoster } from '#shared/application/operations/post-before-answer.ts';
import type { Runs } from '#shared/application/payout-batches/batches.ts';
import type { PersonalData } from '#shared/application/personal-data/personal-data.ts';
import type { Providers } from '#shared/application/providers/connector.ts';
import type { ReceiptLinks } from '#shared/application/receipts/links.ts';
import type { ReceiptStore } from '#shared/application/receipts/receipt-store.ts';
import type { Breakers } from '#shared/application/providers/breakers.ts';
import type { CurrentReads } from './current-reads.ts';
import type { LiveDayUse } from './day-use/day-use.ts';
import type { KeyUse } from './key-use.ts';
import type { Gate } from './load-shedding/gate.ts';

/** The dependencies of the merchant API; `main.ts` makes them. */
export type MerchantDependencies = {
  store: EventStore;
  directory: Directory;
  providers: Providers;
  /** Limits creates when the process is overloaded. */
  gate: Gate;
  /** Circuit breakers of providers, from this process's own calls. */
  breakers?: Breakers;
  /** What routes took today; without it routes with daily limits are skipped. */
  dayUse?: LiveDayUse;
  ledgers: Ledgers;
  /** Called before any answer that shows an ended operation. */
  entryPoster: EntryPoster;
  current: CurrentReads;
  /** Called for every key that is used. */
  keyUse?: Pick<KeyUse, 'noteUse'>;
  logger: Logger;
  /** How long a create waits for a provider to accept, in all (PROVIDER_ACCEPTANCE_MS). */
  acceptanceMs: number;
  /** Prefix of `payment_url`, without a slash at its end (PAY_BASE_URL). */
  payBaseUrl: string;
  /** Where payers' receipts are stored. */
  receipts: ReceiptStore;
  personal: PersonalData;
  /** WEBHOOK_ALLOW_PRIVATE: endpoints for webhooks may be http: and private. */
  allowPrivate: boolean;
  links: ReceiptLinks;
  /** The read models, for lists; nothing else uses these connections. */
  db?: Kysely<unknown>;
  /** The same, to plan statements. */
  statementsDb?: Kysely<unknown>;
  /** The batches of payouts that run. */
  runs: Runs;
  /** Lists as CSV, over connections of their own; where there is a database. */
  exports?: Exports;
};
