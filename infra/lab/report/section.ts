import type { ReportRow } from './rounds.ts';
import { spread, type Spread } from '#infra/verify/harness/figures/statistics.ts';

/** A figure that is not a rate: a time, an amount of memory. */
export type Figure = { name: string; unit: string; value: Spread };

export const createFigure = (name: string, unit: string, ...values: number[]): Figure => ({
  name,
  unit,
  value: spread(values),
});

/** One part of the benchmark: its figures and conditions. */
export type BenchSection = { name: string; about: string; rows: ReportRow[]; figures: Figure[] };
