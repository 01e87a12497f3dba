/**
 * Round figures between which an axis is divided, about so many; the first is at most `least`, the
 * last at least `most`.
 */
export function linearTicks(least: number, most: number, about = 5): number[] {
  const span = most > least ? most - least : Math.abs(most) || 1;
  const rough = span / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough * 0.999) ?? 10) * power;
  const first = Math.floor(least / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(most / step - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, index) => clean((first + index) * step));
}

/** Powers of ten around both ends; with few of them also their twos and fives. */
export function logTicks(least: number, most: number): number[] {
  const [low, high] = [Math.floor(Math.log10(least) + 1e-9), Math.ceil(Math.log10(most) - 1e-9)];
  const factors = high - low <= 3 ? [1, 2, 5] : [1];
  const all: number[] = [];
  for (let power = low; power <= high; power += 1)
    for (const factor of factors) all.push(clean(factor * 10 ** power));
  const first = all.findLastIndex((tick) => tick <= least * 1.000_001);
  const last = all.findIndex((tick) => tick >= most * 0.999_999);
  const ticks = all.slice(Math.max(0, first), (last < 0 ? all.length - 1 : last) + 1);
  return ticks.length > 1 ? ticks : [10 ** low, 10 ** (low + 1)].map(clean);
}

const clean = (value: number) => Number(value.toPrecision(10));

/** A figure at an axis: 1,500 or 0.02. */
export const tickText = (value: number): string =>
  Math.abs(value) >= 1_000 ? value.toLocaleString('en-US') : String(Number(value.toPrecision(4)));
