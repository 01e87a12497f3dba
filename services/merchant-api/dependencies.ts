import type { Directory } from '#shared/directory/directory.ts';
import type { EventStore } from '#shared/event-store/index.ts';
import type { Ledgers } from '#shared/ledger/types.ts';
import type { Logger } from '#shared/logger.ts';
import type { Providers } from '#shared/providers/connector.ts';

/** What the merchant API works with; `main.ts` makes them. */
export type Dependencies = {
  store: EventStore;
  directory: Directory;
  providers: Providers;
  ledgers: Ledgers;
  logger: Logger;
  /** How long a create waits for a provider to accept, in all (PROVIDER_ACCEPTANCE_MS). */
  acceptanceMs: number;
  /** Prefix of `payment_url`, without a slash at its end (PAY_BASE_URL). */
  payBaseUrl: string;
};
