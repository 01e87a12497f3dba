import { randomInt } from 'node:crypto';
import type { parseArgs } from 'node:util';

export type CapacityOptions = {
  readonly seed: number;
  /**
   * Rates to try, in requests a second; by default from `firstRate`, each by `factor` more than the
   * last.
   */
  readonly rates: readonly number[] | undefined;
  readonly firstRate: number;
  readonly factor: number;
  /** Of each of the three rates of the warm-up. */
  readonly warmUpSeconds: number;
  readonly stepSeconds: number;
  /** Of each step, before its figures count. */
  readonly settleSeconds: number;
  readonly soakMinutes: number;
  /** Without the counterpart. */
  readonly alone: boolean;
  /** The folder of the report and of the stack's data. */
  readonly out: string;
};

/** The most steps of a search: from 40 a second by a quarter each, that is past 100,000. */
const maxSteps = 40;

export const capacityUsage = `usage: npm run lab -- capacity [--rates 50,100,200] [--step-seconds N] [--soak-minutes N] [--seed N]
                           [--quick] [--alone] [--out <folder>]

Raises the load on a whole stack until it bends, then soaks it at half of that rate (docs/measurements/capacity.md).

  --rates <list>           requests a second to try; default from 40, each a quarter more
  --step-seconds <number>  3 to 3600; default 30
  --soak-minutes <number>  0 to 1440; default 30
  --seed <number>          repeats the arrivals of a run
  --quick                  a short trial of some minutes
  --alone                  without the counterpart
  --out <folder>           folder of the report; default .data/capacity
`;

/** As `parseArgs` takes them. */
export const optionTypes = {
  rates: { type: 'string' },
  'step-seconds': { type: 'string' },
  'soak-minutes': { type: 'string' },
  seed: { type: 'string' },
  quick: { type: 'boolean', default: false },
  alone: { type: 'boolean', default: false },
  out: { type: 'string', default: '.data/capacity' },
} as const;

type ParsedValues = ReturnType<typeof parseArgs<{ options: typeof optionTypes }>>['values'];

/** The options; undefined for an invalid value. */
export function readCapacityOptions(values: ParsedValues): CapacityOptions | undefined {
  const { quick, alone, out } = values;
  const stepSeconds = Number(values['step-seconds'] ?? (quick ? 8 : 30));
  const soakMinutes = Number(values['soak-minutes'] ?? (quick ? 0.5 : 30));
  const seed = Number(values.seed ?? randomInt(2 ** 31));
  const rates = values.rates?.split(',').map(Number);
  const valid =
    stepSeconds >= 3 &&
    stepSeconds <= 3_600 &&
    soakMinutes >= 0 &&
    soakMinutes <= 24 * 60 &&
    Number.isSafeInteger(seed) &&
    seed >= 0 &&
    (rates === undefined ||
      (rates.length <= maxSteps && rates.every((rate) => rate > 0 && rate <= 100_000)));
  if (!valid) return undefined;
  return {
    seed,
    rates,
    firstRate: quick ? 60 : 40,
    factor: quick ? 1.6 : 1.25,
    warmUpSeconds: quick ? 3 : 60,
    stepSeconds,
    settleSeconds: Math.min(8, Math.floor(stepSeconds / 3)),
    soakMinutes,
    alone,
    out,
  };
}

/** The rate of a step, counted from 0; undefined where there are no more. */
export function rateOfStep(
  { rates, firstRate, factor }: CapacityOptions,
  step: number,
): number | undefined {
  if (step >= maxSteps) return undefined;
  if (rates !== undefined) return rates[step];
  return Math.round(firstRate * factor ** step);
}
