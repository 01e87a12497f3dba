import type { Helper } from '#infra/verify/harness/processes/helper-process.ts';
import type { LoadShop, SinkOrder } from './generator/messages.ts';
import type { readDiskBytes } from './sample/disk.ts';
import type { Backlogs } from './sample/metrics.ts';

/** The system under load: its URLs and processes. */
export type LoadTarget = {
  readonly url: string;
  readonly shops: readonly LoadShop[];
  /** The pid of each of its processes, as they are now. */
  readonly processes: () => Readonly<Record<string, number>>;
  /** Its processes that simulate others: a provider, a merchant. */
  readonly players: readonly string[];
  /** The backlogs of its followers, if it has any. */
  readonly waiting?: () => Promise<Backlogs>;
  readonly diskBytes?: () => ReturnType<typeof readDiskBytes>;
  readonly stop: () => Promise<unknown>;
};

/** Starts one whose shops send their webhooks to the sink. */
export type StartTarget = (sink: Helper<SinkOrder>) => Promise<LoadTarget>;
