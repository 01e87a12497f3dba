import { fromMinor } from '#shared/domain/ledger/minor.ts';
import type { LedgerCommand } from '#shared/domain/ledger/commands.ts';
import { lateStream, type LateEvent } from '#shared/domain/late/events.ts';
import { isLateMoney, suspenseOf } from '#shared/domain/late/suspense.ts';
import { evolveLate, recordLate } from '#shared/domain/late/record.ts';
import { nothingLate } from '#shared/domain/late/state.ts';
import {
  operationStream,
  type Leg,
  type OperationEvent,
  type Returned,
} from '#shared/domain/operation/events.ts';
import { evolve } from '#shared/domain/operation/evolve.ts';
import { dueEntries } from '#shared/domain/operation/due-steps/ledger-entries.ts';
import { whyReserved, whySettled } from '#shared/domain/operation/due-steps/ledger-entry-why.ts';
import { applyReport } from '#shared/domain/operation/reports/apply-report.ts';
import type { ProviderReport } from '#shared/domain/operation/reports/report.ts';
import {
  noOperation,
  type Operation,
  type OperationState,
} from '#shared/domain/operation/state.ts';
import type { Account } from '../accounts.ts';
import type { Moved } from './moved.ts';

type Appended = { stream: string; events: { type: string; data: object }[] };
export type Posted = { shopId: string; currency: string; command: LedgerCommand };
/** What is appended together; the entries of ledgers after it. */
type Step = { appends: Appended[]; posts: Posted[] };
export type Life = { shopId: string; steps: Step[]; moved: Moved[] };

export const iso = (ms: number): string => new Date(ms).toISOString();

/** One life as the gateway's own decisions make it, and the money that moved in it. */
export function createLife(operationId: string, shopId: string) {
  const steps: Step[] = [];
  const moved: Moved[] = [];
  let [state, late]: [OperationState, typeof nothingLate] = [noOperation, nothingLate];
  let taken: OperationEvent[] = [];

  const admitted = (): Operation => {
    if (state.phase !== 'admitted') throw new Error('the operation was not admitted');
    return state;
  };
  const end = (posts: Posted[]) => {
    const appends =
      taken.length === 0 ? [] : [{ stream: operationStream(operationId), events: taken }];
    steps.push({ appends, posts });
    taken = [];
  };
  const take = (decision: object): void => {
    if (!('events' in decision)) throw new Error(`refused: ${JSON.stringify(decision)}`);
    for (const event of decision.events as OperationEvent[]) {
      taken.push(event);
      state = evolve(state, event);
    }
  };
  const takeLate = (
    report: ProviderReport,
    facts: ReturnType<typeof applyReport>['late'],
  ): void => {
    const operation = admitted();
    for (const event of recordLate(late, { operation, report, facts }).events) {
      late = evolveLate(late, event);
      steps.push(lateStep(operation, event));
    }
  };

  return {
    state: () => state,
    operation: admitted,
    take,
    /** The payout's funds are set aside before its provider is called. */
    reserve: (): void => end([reserveOf(admitted())]),
    /** What the provider reports, in whatever state the operation is. */
    report: (report: Omit<ProviderReport, 'evidence'>): void => {
      const whole: ProviderReport = { ...report, evidence: 'legs' };
      const wasOpen = admitted().settled === undefined;
      const { events, late: facts } = applyReport(state, whole);
      take({ events });
      if (wasOpen && admitted().settled !== undefined) settle();
      takeLate(whole, facts);
    },
    settle: (): void => settle(),
    moves: (money: Moved): void => void moved.push(money),
    /** So many movements so far. */
    count: () => moved.length,
    done: (): Life => {
      if (taken.length > 0) end([]);
      return { shopId, steps, moved };
    },
  };

  /** The entries that the end owes. */
  function settle(): void {
    end(endOf(admitted(), taken.at(-1)?.type ?? ''));
  }
}

/** What sets a payout's funds aside. */
function reserveOf(operation: Operation): Posted {
  const { operationId, shopId } = operation;
  const asked = operation.reservations.at(-1);
  if (!asked) throw new Error('no reservation was asked for');
  const { reservation, currency, amount } = asked;
  const why = whyReserved(operation, asked);
  return { shopId, currency, command: { kind: 'reserve', operationId, reservation, amount, why } };
}

/** The entries that an end owes. */
const endOf = (operation: Operation, endType: string): Posted[] =>
  dueEntries(operation).map((entry): Posted => {
    const { operationId, shopId } = operation;
    const why = whySettled(operation, entry, endType);
    return { shopId, currency: entry.currency, command: { operationId, why, ...entry } };
  });

/** A late fact, with its entry where it is money. */
function lateStep({ operationId, shopId, type: operationType }: Operation, event: LateEvent): Step {
  const appends = [{ stream: lateStream(operationId), events: [event] }];
  if (!isLateMoney(event)) return { appends, posts: [] };
  const { currency, provider } = event.data;
  const why = { cause: event.type, provider };
  const money = suspenseOf(event, operationType);
  const command = { kind: 'suspense', operationId, ...money, why } as const;
  return { appends, posts: [{ shopId, currency, command }] };
}

export type LifeOf = ReturnType<typeof createLife>;

export const legOf = ({ legId, minor, atMs }: Pick<Moved, 'legId' | 'minor' | 'atMs'>): Leg => ({
  leg_id: legId,
  amount: fromMinor(BigInt(minor)),
  completed_at: iso(atMs),
  file: false,
});

export const returnedOf = (back: Pick<Moved, 'legId' | 'ofLegId' | 'minor' | 'atMs'>): Returned => {
  const { leg_id, amount, completed_at } = legOf(back);
  return { leg_id, of_leg_id: back.ofLegId ?? '', amount, completed_at };
};

/** What an account of the given kind is called in a route. */
export const accountInRoute = ({ account }: Account) => (account === 'default' ? {} : { account });
