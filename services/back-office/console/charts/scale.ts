/** A chart's size and margins, in units of its view box. */
export const size = { width: 640, height: 200, left: 54, right: 8, top: 10, bottom: 22 } as const;

export const plot = {
  width: size.width - size.left - size.right,
  height: size.height - size.top - size.bottom,
  floor: size.height - size.bottom,
} as const;

/** A coordinate, rounded to what a screen can show. */
export const px = (value: number): number => Math.round(value * 10) / 10;

/** Round numbers up to at least `max`: 1, 2 or 5 times a power of ten apart, four at most. */
export function linearTicks(max: number): number[] {
  const rough = Math.max(max, 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(
    1,
    [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough) ?? rough,
  );
  const count = Math.ceil(Math.max(max, 1) / step);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/** Familiar durations, in seconds, as ticks of a logarithmic axis. */
const durations = [
  0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600,
  43_200, 86_400, 259_200, 604_800,
];
const maxTicks = 6;

export function durationTicks(min: number, max: number): number[] {
  const end = durations.length - 1;
  const below = durations.findLastIndex((each) => each <= min);
  const above = durations.findIndex((each) => each >= max);
  const first = Math.min(Math.max(0, below), end - 1);
  const last = Math.max(above === -1 ? end : above, first + 1);
  const ticks = durations.slice(first, last + 1);
  const apart = Math.ceil(ticks.length / maxTicks);
  return ticks.filter((_, index) => index % apart === 0 || index === ticks.length - 1);
}
