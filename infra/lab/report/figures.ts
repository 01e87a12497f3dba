/** A whole number, with commas. */
export const formatCount = (value: number): string => value.toLocaleString('en-US');

/** A figure with its significant digits. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return Math.abs(value) >= 100
    ? formatCount(Math.round(value))
    : String(Number(value.toPrecision(2)));
}

export const ms = (value: number): string => `${figure(value)} ms`;
export const formatPercent = (share: number): string => `${(share * 100).toFixed(0)} %`;

/** 30 minutes, half a minute. */
export const formatMinutes = (seconds: number): string =>
  `${Number((seconds / 60).toFixed(1))} minutes`;

/** Cores used by something other than the stack and the run. */
export function coresUsedByOthers(
  machine: { readonly busy: number },
  cores: Readonly<Record<string, number>>,
  all: number,
): number {
  const ours = Object.values(cores).reduce((sum, one) => sum + one, 0);
  return Math.max(0, machine.busy * all - ours);
}
