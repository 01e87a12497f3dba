import type { Row } from './rounds.ts';
import type { Spread } from '#infra/verify/harness/statistics.ts';

/** A figure that is no rate: a time, an amount of memory. */
export type Figure = { name: string; unit: string; value: Spread };

/** One part of the benchmark: what was measured, in which conditions. */
export type Section = { name: string; about: string; rows: Row[]; figures: Figure[] };
