import type { Row } from './rounds.ts';
import { spread, type Spread } from '#infra/verify/harness/statistics.ts';

/** A figure that is not a rate: a time, an amount of memory. */
export type Figure = { name: string; unit: string; value: Spread };

export const figureOf = (name: string, unit: string, ...values: number[]): Figure => ({
  name,
  unit,
  value: spread(values),
});

/** One part of the benchmark: its figures and conditions. */
export type Section = { name: string; about: string; rows: Row[]; figures: Figure[] };
