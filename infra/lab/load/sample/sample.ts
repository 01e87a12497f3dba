import type { Percentiles } from '#infra/verify/harness/figures/statistics.ts';
import type { LoadKind } from '../generator/kinds.ts';
import type { KindTaken } from '../generator/messages.ts';
import type { MeasuredStore } from './disk.ts';
import type { Backlogs } from './metrics.ts';
import type { Usage } from './usage.ts';

/** The phase: trying rates, processing the backlog, the soak, and the end. */
export type Phase = 'warm-up' | 'step' | 'pause' | 'soak' | 'rest';

export type KindSample = Readonly<Omit<KindTaken, 'latencies'> & Percentiles>;

/** The sample of one second. Milliseconds, bytes, shares of a core; NaN if unknown. */
export type LoadSample = {
  /** Since the load began. */
  readonly atS: number;
  /** How long the second really was. */
  readonly seconds: number;
  readonly phase: Phase;
  /** The requested rate, in requests a second. */
  readonly rate: number;
  readonly kinds: Readonly<Record<LoadKind, KindSample>>;
  /** Payments and payouts together. */
  readonly creates: KindSample;
  readonly inFlight: number;
  readonly codes: Readonly<Record<string, number>>;
  /** From an event to its webhook at the sink. */
  readonly webhooks: Readonly<{ arrived: number } & Percentiles>;
  /** Operations with an answered create and no delivered end. */
  readonly open: number;
  readonly waiting: Backlogs;
  /** CPU in cores, and memory, by process. */
  readonly processes: Readonly<Record<string, { readonly cores: number } & Omit<Usage, 'cpuMs'>>>;
  /** Shares of all processors. */
  readonly machine: { readonly busy: number; readonly iowait: number; readonly steal: number };
  /** Read every ten seconds. */
  readonly diskBytes?: Partial<Record<MeasuredStore, number>>;
};
