import type { Kind, MixName } from './kinds.ts';

/** A shop as the load needs it. */
export type LoadShop = { readonly shopId: string; readonly apiKey: string };

/** What the run tells the generator. Each is answered. */
export type GeneratorOrder =
  | {
      readonly order: 'begin';
      readonly gateway: string;
      readonly shops: readonly LoadShop[];
      readonly mix: MixName;
      readonly seed: number;
    }
  /** Requests a second from now on, follow-ups counted; 0 stops what arrives by itself. */
  | { readonly order: 'rate'; readonly perSecond: number }
  | { readonly order: 'take' };

type KindTaken = {
  /** Requests that became due. */
  readonly due: number;
  /** Answers but 5xx and 429. */
  readonly answered: number;
  readonly failed: number;
  /** Milliseconds from the moment at which each answered request was due. */
  readonly latencies: readonly number[];
};

/** What the generator saw since it was asked last. */
export type GeneratorTaken = {
  readonly kinds: Readonly<Record<Kind, KindTaken>>;
  /** Answers of 400 and above, and requests without one: `<kind> <status> <code>`. */
  readonly codes: Readonly<Record<string, number>>;
  readonly inFlight: number;
  /** How late requests were sent, milliseconds. */
  readonly lateness: readonly number[];
  /** Operations whose create was answered. */
  readonly created: readonly string[];
};

/** What the run tells the sink. Each is answered; the first one with the sink's URL. */
export type SinkOrder =
  | { readonly order: 'begin' }
  | { readonly order: 'secret'; readonly shop: number; readonly secret: string }
  | { readonly order: 'take' };

/** One webhook: its operation, its place among that one's, and whether it tells of the end. */
export type SunkWebhook = readonly [operationId: string, sequence: number, isEnd: boolean];

/** What came to the sink since it was asked last. */
export type SinkTaken = {
  readonly webhooks: readonly SunkWebhook[];
  /** What came without a valid signature. */
  readonly faults: readonly string[];
  /** Milliseconds from the moment of each event to the arrival of its webhook. */
  readonly lateness: readonly number[];
};
