import { expect, it } from 'vitest';
import { transitionsOf } from './testing/transitions.ts';
import { transitions, type Transition } from './transitions.ts';

const sorted = (each: readonly Transition[]) =>
  each
    .map(({ from, to, causes }) => ({ from, to, causes: causes.toSorted() }))
    .toSorted((left, right) =>
      `${left.from} ${left.to}`.localeCompare(`${right.from} ${right.to}`),
    );

it.each(['payment', 'payout'] as const)(
  'the diagram of a %s shows exactly the transitions of the domain (R6.2)',
  (type) => {
    expect(sorted(transitions[type])).toEqual(sorted(transitionsOf(type)));
  },
);
