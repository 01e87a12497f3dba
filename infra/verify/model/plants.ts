import { noOperation } from '#shared/domain/operation/state.ts';
import { modelRules, type Rules } from './rules.ts';
import type { OperationKind } from './world.ts';

/** Deliberate mistakes, each in one rule. */
export const plants: readonly { name: string; kind: OperationKind; broken: Partial<Rules> }[] = [
  {
    name: 'a create ignores that its key was cancelled',
    kind: 'payment',
    broken: {
      admit: (state, create) =>
        modelRules.admit(state.phase === 'cancelled_first' ? noOperation : state, create),
    },
  },
  {
    name: 'a cancel does not look for money',
    kind: 'payment',
    broken: {
      cancel: (state, command) =>
        modelRules.cancel(state.phase === 'admitted' ? { ...state, legs: [] } : state, command),
    },
  },
  {
    name: 'an older report counts like a newer one',
    kind: 'payment',
    broken: {
      decideReport: (state, attempt, { report, answer }) => {
        const { reportVersion: _, ...unversioned } = state;
        return modelRules.decideReport(unversioned, attempt, { report, answer });
      },
    },
  },
  {
    name: 'an answer is recorded although the operation has ended',
    kind: 'payment',
    broken: {
      recordAnswer: (state, answered) =>
        modelRules.recordAnswer(
          state.phase === 'admitted' ? { ...state, status: 'creating' } : state,
          answered,
        ),
    },
  },
  {
    name: 'a payout continues with the next route while the first one is unknown',
    kind: 'payout',
    broken: {
      recordAnswer: (state, { answer, ...answered }) =>
        modelRules.recordAnswer(state, {
          ...answered,
          answer: answer.outcome === 'unknown' ? { outcome: 'refused', reason: 'no' } : answer,
        }),
    },
  },
  {
    name: 'late money is not recorded',
    kind: 'payment',
    broken: {
      recordLate: (state, recorded) => {
        const { events } = modelRules.recordLate(state, recorded);
        return { events: events.filter(({ type }) => type !== 'LateMoneyReceived') };
      },
    },
  },
  {
    name: 'an abandoned create is rejected although a provider has accepted',
    kind: 'payment',
    broken: {
      rejectAbandoned: (state, nowIso) =>
        modelRules.rejectAbandoned(
          state.phase === 'admitted' ? { ...state, status: 'creating' } : state,
          nowIso,
        ),
    },
  },
];
