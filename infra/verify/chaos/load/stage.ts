import type { ProxiedStack } from '#infra/verify/harness/proxied-stack.ts';
import type { Random } from '#infra/verify/harness/random.ts';
import type { Find } from '#infra/verify/simulation/checks/find.ts';
import type { SimulatedShop } from '#infra/verify/simulation/people/shops.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Send } from './requests.ts';

/** What those who use the stack work with. */
export type Stage = {
  readonly stack: ProxiedStack;
  readonly shops: readonly [SimulatedShop, ...SimulatedShop[]];
  /** Past the proxies. */
  readonly store: EventStore;
  readonly send: Send;
  readonly random: Random;
  readonly find: Find;
  /** When everything has to have come to rest, by `performance.now()`. */
  readonly until: () => number;
};
