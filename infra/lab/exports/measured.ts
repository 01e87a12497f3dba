import { formatCount } from '#infra/lab/report/figures.ts';
import { textTable } from '#infra/verify/harness/figures/tables.ts';

/** What one file cost. */
export type Measurement = {
  readonly rows: number;
  readonly bytes: number;
  readonly seconds: number;
  /** Resident memory of the writing process: before, and the maximum. */
  readonly beforeBytes: number;
  readonly peakBytes: number;
};

const megabytes = (bytes: number): string => formatCount(Math.round(bytes / 1_000_000));

/** A line for each file, for a terminal. */
export const measurementTable = (
  files: readonly { name: string; measured: Measurement }[],
): string =>
  textTable([
    ['', 'rows', 'MB', 'seconds', 'before, MB', 'peak, MB'],
    ...files.map(({ name, measured: { rows, bytes, seconds, beforeBytes, peakBytes } }) => [
      name,
      formatCount(rows),
      megabytes(bytes),
      seconds.toFixed(1),
      megabytes(beforeBytes),
      megabytes(peakBytes),
    ]),
  ]);
