import type { Kind } from '../generator/kinds.ts';
import type { Store } from './disk.ts';
import type { Waiting } from './metrics.ts';
import type { Usage } from './usage.ts';

/**
 * What goes on: the rates are tried, what is left over is worked off, the long run, and the end.
 */
export type Phase = 'warm-up' | 'step' | 'pause' | 'soak' | 'rest';

export type KindSample = {
  readonly due: number;
  readonly answered: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
};

/** From an event to its webhook at the sink. */
export type WebhookFigures = {
  readonly arrived: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
};

/** One second. Milliseconds, bytes, shares of a core; NaN where there is no figure. */
export type Sample = {
  /** Since the load began. */
  readonly atS: number;
  /** How long the second really was. */
  readonly seconds: number;
  readonly phase: Phase;
  /** Requests a second that were asked for. */
  readonly rate: number;
  readonly kinds: Readonly<Record<Kind, KindSample>>;
  /** Payments and payouts together. */
  readonly creates: KindSample;
  readonly inFlight: number;
  readonly codes: Readonly<Record<string, number>>;
  readonly webhooks: WebhookFigures;
  /** Operations whose create was answered and whose end was not delivered yet. */
  readonly open: number;
  readonly waiting: Waiting;
  /** Cores that each process used, and what it holds of memory. */
  readonly processes: Readonly<Record<string, { readonly cores: number } & Omit<Usage, 'cpuMs'>>>;
  /** Shares of all processors. */
  readonly machine: { readonly busy: number; readonly iowait: number; readonly steal: number };
  /** Looked at every ten seconds. */
  readonly diskBytes?: Partial<Record<Store, number>>;
};
