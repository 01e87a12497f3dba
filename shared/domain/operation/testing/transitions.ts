import { exampleMethod } from '../../methods/index.ts';
import { cancel } from '../ends/cancel.ts';
import { noteSubmitted, receiptToSubmit, uploadReceipt } from '../receipt/upload.ts';
import { decideReview } from '../receipt/operator-review.ts';
import { admit } from '../admission/admit.ts';
import { recordAnswer } from '../attempts/provider-answer.ts';
import { rejectAbandoned } from '../attempts/acceptance-wait.ts';
import type { OperationEvent } from '../events.ts';
import { fold } from '../evolve.ts';
import { nextCreateStep } from '../attempts/create-step.ts';
import { recordReservation } from '../payout-funds/record.ts';
import { applyReport } from '../reports/apply-report.ts';
import { expireOperation } from '../ends/expiry.ts';
import type { ProviderReport } from '../reports/report.ts';
import { isTerminal, noOperation, type OperationState, type OperationStatus } from '../state.ts';
import type { OperationType } from '../../operation-type.ts';
import type { Route } from '../../routing.ts';
import type { Cause, Transition } from '../transitions.ts';

type Decision = { events: OperationEvent[] } | { refusal: unknown };
type Step = { cause: Cause; decide(state: OperationState): Decision };

const nowIso = '2026-01-31T12:00:00.000Z';
const longAfter = '2036-01-31T12:00:00.000Z';
const now = { routes: [], timeIsUp: false };

const leg = (id: string, amount: string) => ({
  leg_id: id,
  amount,
  completed_at: nowIso,
  file: false,
});
const money = [[], [leg('a', '60.00')], [leg('a', '60.00'), leg('b', '40.00')]];
const reports: readonly ProviderReport['status'][] = [
  'open',
  'completed',
  'partially_completed',
  'declined',
  'expired',
];
const reviews = [
  { state: 'flagged', reason: 'not_terminal' },
  { state: 'flagged', reason: 'potential_fake' },
  { state: 'declined' },
] as const;

/** Every command on an operation, with every distinction that affects its status. */
const steps: readonly Step[] = [
  { cause: 'create', decide: (state) => reserved(state, 'reserved') },
  { cause: 'create', decide: (state) => reserved(state, 'insufficient_funds') },
  ...[
    {
      outcome: 'accepted',
      providerReference: 'ref',
      requisites: { number: '1' },
      expiresAt: nowIso,
    } as const,
    { outcome: 'refused', reason: 'no' } as const,
    { outcome: 'unknown', cause: 'timeout' } as const,
  ].map((answer): Step => ({
    cause: 'provider',
    decide: (state) =>
      hasAttempt(state) ? recordAnswer(state, { ...now, attempt: 1, answer }) : { events: [] },
  })),
  { cause: 'create', decide: (state) => rejectAbandoned(state, longAfter) },
  ...reports.flatMap((status) =>
    money.map((legs): Step => ({
      cause: 'provider',
      decide: (state) => applyReport(state, { attempt: 1, status, legs }),
    })),
  ),
  ...reviews.map((given): Step => ({
    cause: 'provider',
    decide: (state) => {
      const receiptId = state.phase === 'admitted' ? state.receiptUnderReview : undefined;
      if (receiptId === undefined) return { events: [] };
      const status = given.state === 'declined' ? 'declined' : 'open';
      return applyReport(state, { attempt: 1, status, legs: [], review: { receiptId, ...given } });
    },
  })),
  ...[true, false].map((pdf): Step => ({
    cause: 'receipt',
    decide: (state) =>
      uploadReceipt(state, { receiptId: `r-${pdf}`, sha256: String(pdf), sizeBytes: 1, pdf }),
  })),
  {
    cause: 'receipt',
    decide: (state) =>
      noteSubmitted(state, { receiptId: receiptToSubmit(state) ?? '', isAccepted: false }),
  },
  ...(['decline', 'ask_again'] as const).map((decision): Step => ({
    cause: 'operator',
    decide: (state) => decideReview(state, { decision, note: '', legId: 'c', nowIso }),
  })),
  ...['60.00', '100.00'].map((actualAmount): Step => ({
    cause: 'operator',
    decide: (state) => {
      const approval = { decision: 'approve', actualAmount, mayExceed: false } as const;
      return decideReview(state, { ...approval, note: '', legId: 'c', nowIso });
    },
  })),
  { cause: 'window', decide: (state) => expireOperation(state, longAfter) },
  {
    cause: 'merchant',
    decide: (state) => cancel(state, { ...ids, merchantOperationId: 'order-1', reason: '' }),
  },
];

const ids = { operationId: 'operation-1', shopId: 'shop-1', merchantId: 'merchant-1' };

function reserved(state: OperationState, answer: 'reserved' | 'insufficient_funds'): Decision {
  if (state.phase !== 'admitted' || nextCreateStep(state)?.step !== 'reserve')
    return { events: [] };
  return recordReservation(state, { attempt: 1, answer, routes: [], timeIsUp: false });
}

const hasAttempt = (state: OperationState) =>
  state.phase === 'admitted' && state.attempts.some(({ dispatched }) => dispatched);

/**
 * Every change of status that the domain's decisions can make, found by trying all of them in every
 * reachable state, so that the diagram for merchants can't differ from the code.
 * @throws if there are more states than expected
 */
export function transitionsOf(type: OperationType): Transition[] {
  const found = new Map<string, Set<Cause>>();
  const seen = new Set<string>();
  const queue: OperationState[] = [];
  const visit = (from: OperationState, events: readonly OperationEvent[], cause: Cause) => {
    if (events.length === 0) return;
    const state = fold(events, from);
    const [before, after] = [shown(from), shown(state)];
    if (after !== undefined && before !== after) {
      const arrow = `${before ?? 'created'} ${after}`;
      found.set(arrow, (found.get(arrow) ?? new Set()).add(cause));
    }
    const known = JSON.stringify({ ...state, revision: 0 });
    if (seen.has(known)) return;
    seen.add(known);
    if (seen.size > maxStates) throw new Error('the states of an operation do not end');
    // A terminal status never changes: the domain's own tests check that.
    if (after === undefined || !isTerminal(after)) queue.push(state);
  };
  for (const routes of routings(type))
    visit(noOperation, admitted(noOperation, type, routes), 'create');
  for (let state = queue.shift(); state !== undefined; state = queue.shift()) {
    for (const { cause, decide } of steps) {
      const decision = decide(state);
      if ('events' in decision) visit(state, decision.events, cause);
    }
  }
  return [...found].map(([arrow, causes]) => {
    const [from, to] = arrow.split(' ') as [Transition['from'], OperationStatus];
    return { from, to, causes: [...causes] };
  });
}

const maxStates = 5_000;

function admitted(
  state: OperationState,
  type: OperationType,
  routes: readonly Route[],
): OperationEvent[] {
  const decision = admit(state, {
    ...ids,
    type,
    merchantOperationId: 'order-1',
    body: { rest: '', whole: '' },
    endpoint: '/v1/payment',
    apiVersion: 'v1',
    request: { client_id: 'client-1', method: exampleMethod, amount: '100.00', currency: 'RUB' },
    acceptUntil: nowIso,
    routes,
  });
  return 'events' in decision ? decision.events : [];
}

function routings(type: OperationType): Route[][] {
  const route = (requires_receipt: boolean): Route => ({
    type,
    method: exampleMethod,
    currency: 'RUB',
    provider: 'sandbox',
    priority: 1,
    requires_receipt,
    commission: { percent: '0', fixed: '0.00' },
  });
  return [[], [route(false)], [route(true)]];
}

/** The status that a merchant sees; undefined during the create. */
function shown(state: OperationState): OperationStatus | undefined {
  return state.phase === 'admitted' && state.status !== 'creating' ? state.status : undefined;
}
