import type { PlainRequest } from '#shared/domain/operation/events.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import type { WhySkip } from '#shared/domain/routing.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import type { Sealer } from '#shared/application/personal-data/personal-data.ts';
import type { Slot } from '../../load-shedding/create-gate.ts';

/** An operation while its routes are tried. */
export type Cascade = {
  operation: Operation;
  /** The log position of the admission: a reservation's entry comes after it. */
  admittedAt: bigint;
  /** The request in plain text, for providers. */
  plain: PlainRequest;
  /** Gets the client's key for encryption; undefined if the store does not answer. */
  sealer(): Promise<Sealer | undefined>;
  shop: Shop;
  /**
   * Which routes may not be tried now; called before each one; undefined if the store does not
   * answer.
   */
  whySkip(): Promise<WhySkip | undefined>;
  /** Releases what was reserved of a route's day for an attempt that did not begin. */
  release(): void;
  slot: Pick<Slot, 'release'>;
  deadlineMs: number;
  origin: Origin;
};
