import type { PlainRequest } from '#shared/domain/operation/events.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import type { WhySkip } from '#shared/domain/routing.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import type { Origin } from '#shared/application/operations/origin.ts';
import type { Sealer } from '#shared/application/personal-data/personal-data.ts';

/** An operation on its way through its routes. */
export type Cascade = {
  operation: Operation;
  /** The log position of the admission: a reservation's entry stands after it. */
  admittedAt: bigint;
  /** The request in clear, for providers. */
  plain: PlainRequest;
  /** Finds what seals the client's data; undefined if the store does not say. */
  sealer(): Promise<Sealer | undefined>;
  shop: Shop;
  /** Which of the shop's routes may not be tried now; asked anew before each; undefined if the store does not say. */
  whySkip(): Promise<WhySkip | undefined>;
  /** Gives back what was held of a route's day for an attempt that did not begin. */
  release(): void;
  deadlineMs: number;
  origin: Origin;
};
