import type { LateEvent } from '#shared/domain/late/events.ts';
import { nothingLate, type LateState } from '#shared/domain/late/state.ts';
import type { ProviderAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import type { Leg, OperationEvent, ReturnedMoney } from '#shared/domain/operation/events.ts';
import type { ProviderReport } from '#shared/domain/operation/reports/report.ts';
import { noOperation, type OperationState } from '#shared/domain/operation/state.ts';
import { create, route } from '#shared/domain/operation/testing/create.ts';

/** The initial world: one operation, and two routes to the same provider. */
export const operationKinds = ['payment', 'payment with a receipt', 'payout'] as const;
export type OperationKind = (typeof operationKinds)[number];

/** An attempt as its provider has it, whatever the gateway knows. */
export type AtProvider = {
  status: ProviderReport['status'];
  legs: readonly Leg[];
  returns: readonly ReturnedMoney[];
  /** All its reports, newest last: each may arrive at any time, and again. */
  reports: readonly ProviderReport[];
};

/** The process that handles the create: idle, with a provider's answer to record, or dead. */
type CreateState = 'not begun' | 'running' | { attempt: number; answer: ProviderAnswer } | 'gone';

export type World = {
  kind: OperationKind;
  /** 1: the acceptance wait is over. 2: the payment window too. */
  clock: 0 | 1 | 2;
  creating: CreateState;
  operation: OperationState;
  late: LateState;
  lateEvents: readonly LateEvent[];
  providers: Readonly<Record<number, AtProvider>>;
  /** Counts of actions that are bounded. */
  uploads: number;
  /** What the invariants count. */
  ends: number;
  awaited: number;
};

const times = ['2026-01-31T12:00:01.000Z', '2026-01-31T12:00:20.000Z', '2026-01-31T13:00:00.000Z'];
export const worldTime = ({ clock }: Pick<World, 'clock'>): string => times[clock] ?? '';
export const expiresAt = '2026-01-31T12:30:00.000Z';

export const isPayout = ({ kind }: Pick<World, 'kind'>): boolean => kind === 'payout';

export const modelRoutes = (kind: OperationKind) =>
  [1, 2].map((priority) =>
    route({
      type: kind === 'payout' ? 'payout' : 'payment',
      requires_receipt: kind === 'payment with a receipt',
      priority,
    }),
  );

export const createCommand = (kind: OperationKind) =>
  create({ type: kind === 'payout' ? 'payout' : 'payment', routes: modelRoutes(kind) });

export const initialWorld = (kind: OperationKind): World => ({
  kind,
  clock: 0,
  creating: 'not begun',
  operation: noOperation,
  late: nothingLate,
  lateEvents: [],
  providers: {},
  uploads: 0,
  ends: 0,
  awaited: 0,
});

/** Equal for worlds with the same future: without the number of events. */
export function worldKey({ operation, late, ...world }: World): string {
  const { revision: _, ...state } = operation;
  const { revision: __, ...facts } = late;
  return JSON.stringify([state, facts, world]);
}

/** A move to another world, and the events that it appended. */
export type Move = { name: string; events: readonly (OperationEvent | LateEvent)[]; next: World };
