import { parseArgs } from 'node:util';
import { expect, it } from 'vitest';
import { optionTypes, rateOfStep, readOptions, type CapacityOptions } from './options.ts';

const read = (...args: string[]) => readOptions(parseArgs({ args, options: optionTypes }).values);

it('is a search by quarters and half an hour, unless something else is asked for', () => {
  const options = read() as CapacityOptions;
  expect(options).toMatchObject({
    stepSeconds: 30,
    settleSeconds: 8,
    soakMinutes: 30,
    rates: undefined,
  });
  expect([0, 1, 2, 3].map((step) => rateOfStep(options, step))).toEqual([40, 50, 63, 78]);
  expect(rateOfStep(options, 40)).toBeUndefined();
});

it('takes what is asked for', () => {
  const options = read(
    '--rates',
    '50,100',
    '--step-seconds',
    '12',
    '--soak-minutes',
    '0',
    '--seed',
    '7',
  );
  expect(options).toMatchObject({
    rates: [50, 100],
    stepSeconds: 12,
    settleSeconds: 4,
    soakMinutes: 0,
    seed: 7,
  });
  expect([0, 1, 2].map((step) => rateOfStep(options as CapacityOptions, step))).toEqual([
    50,
    100,
    undefined,
  ]);
});

it('has a counterpart beside it, unless told otherwise', () => {
  expect(read()).toMatchObject({ alone: false });
  expect(read('--alone')).toMatchObject({ alone: true });
});

it('has a quick one, to try', () => {
  expect(read('--quick')).toMatchObject({
    quick: true,
    stepSeconds: 8,
    settleSeconds: 2,
    soakMinutes: 0.5,
  });
  expect(read('--quick', '--soak-minutes', '1')).toMatchObject({ soakMinutes: 1 });
});

it.each([
  [['--rates', '50,x']],
  [['--rates', '0']],
  [['--step-seconds', '1']],
  [['--soak-minutes=-1']],
  [['--seed=-5']],
])('refuses %j', (args) => {
  expect(read(...args)).toBeUndefined();
});
