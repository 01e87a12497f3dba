import type { Directory } from '#shared/application/directory/directory.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import type { PersonalData } from '#shared/application/personal-data/personal-data.ts';
import type { Breakers } from '#shared/application/providers/breakers.ts';
import type { Providers } from '#shared/application/providers/connector.ts';
import type { DailyUse } from '#shared/domain/daily-limits.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import type { Route } from '#shared/domain/routing.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';

/** What a create needs of its process. */
export type CreatePorts = {
  store: EventStore;
  directory: Pick<Directory, 'providers'>;
  providers: Providers;
  /** Circuit breakers of providers, from this process's own calls. */
  breakers?: Pick<Breakers, 'begin' | 'failing' | 'isOpen'>;
  /** What routes took today; without it routes with daily limits are skipped. */
  dayUse?: DayUse;
  ledgers: Ledgers;
  personal: Pick<PersonalData, 'sealer' | 'bodyHashUnder'>;
  current: {
    /** Undefined if no create was admitted. @throws when the store does not answer */
    operation(operationId: string): Promise<Operation | undefined>;
    /** An operation that this process has just written. `position`: of its newest event. */
    cache(operation: Operation, position: bigint): void;
  };
  logger: Pick<Logger, 'debug'>;
  /** How long a create waits for a provider to accept, in all. */
  acceptanceMs: number;
};

type DayUse = {
  /** Undefined while it is unknown. */
  of(shopId: string): Promise<ShopDayUse | undefined>;
  /** Releases what a request reserved, if it began no attempt. */
  release(of: { shop: { shopId: string }; request: string }): void;
};

type ShopDayUse = {
  /** A route's use today, reservations included, without one operation. */
  usedBy(route: Route, operation: { operationId: string }): DailyUse;
  /** Counts an operation before the log has it. */
  take(route: Route, reservation: { request: string; operationId: string; amount: string }): void;
};

/** The part of the process's capacity that a create holds. */
export type CreateSlot = {
  /** Whether the operation was created before: the request is a repeat. */
  isRepeat: boolean;
  /** Call it before a provider is called, which may take long. May be called again. */
  release(): void;
  /** Resolves when the create has a slot again, for its work after a provider's response. */
  reacquire(): Promise<void>;
  /**
   * The operation exists from now on: repeats are not refused. `isNew`: this create admitted it.
   */
  created(isNew: boolean): void;
};
