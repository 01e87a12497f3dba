import { loadKinds, type LoadKind, type MixName } from './kinds.ts';

/** A shop as the load needs it. */
export type LoadShop = { readonly shopId: string; readonly apiKey: string };

/** The orders for the generator. Each is answered. */
export type GeneratorOrder =
  | {
      readonly order: 'begin';
      readonly gateway: string;
      readonly shops: readonly LoadShop[];
      readonly mix: MixName;
      readonly seed: number;
    }
  /** Requests a second from now on, including follow-ups; 0 stops the arrivals. */
  | { readonly order: 'rate'; readonly perSecond: number }
  | { readonly order: 'take' };

export type KindTaken = {
  /** Requests that became due. */
  due: number;
  /** Answers but 5xx and 429. */
  answered: number;
  failed: number;
  /** Latencies of answered requests from their due time, milliseconds. */
  readonly latencies: number[];
};

export const emptyTaken = (): KindTaken => ({ due: 0, answered: 0, failed: 0, latencies: [] });

export const emptyByKind = () =>
  Object.fromEntries(loadKinds.map((kind) => [kind, emptyTaken()])) as Record<LoadKind, KindTaken>;

/** The generator's measurements since the last order. */
export type GeneratorTaken = {
  readonly kinds: Readonly<Record<LoadKind, KindTaken>>;
  /** Counts of answers of 400 and above, and of requests without one: `<kind> <status> <code>`. */
  readonly codes: Readonly<Record<string, number>>;
  readonly inFlight: number;
  /** How late requests were sent, milliseconds. */
  readonly lateness: readonly number[];
  /** Operations whose create was answered. */
  readonly created: readonly string[];
};

/** The orders for the sink. Each is answered, the first one with the sink's URL. */
export type SinkOrder =
  | { readonly order: 'begin' }
  | { readonly order: 'secret'; readonly shop: number; readonly secret: string }
  | { readonly order: 'take' };

/** One webhook: its operation, its sequence, and whether it is terminal. */
export type SunkWebhook = readonly [operationId: string, sequence: number, isEnd: boolean];

/** The sink's measurements since the last order. */
export type SinkTaken = {
  readonly webhooks: readonly SunkWebhook[];
  /** What came without a valid signature. */
  readonly faults: readonly string[];
  /** Delays of webhooks after their events, milliseconds. */
  readonly lateness: readonly number[];
};
