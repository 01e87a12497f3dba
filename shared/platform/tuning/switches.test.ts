import { expect, test } from 'vitest';
import { isTuned, tunings } from './switches.ts';

test('each tuning is in use until it is named', () => {
  expect(tunings.filter((each) => isTuned(each, ''))).toEqual([...tunings]);
  expect(tunings.filter((each) => !isTuned(each, 'give-back, collections'))).toEqual([
    'collections',
    'give-back',
  ]);
});
