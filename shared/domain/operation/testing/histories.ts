import * as fc from 'fast-check';
import type { Amount } from '../../money.ts';
import { fromAmount, toAmount } from '../../money.ts';
import type { Route } from '../../routing.ts';
import { cancel } from '../ends/cancel.ts';
import { closeOperationByHand } from '../ends/close-by-hand.ts';
import { noteSubmitted, receiptToSubmit, uploadReceipt } from '../receipt/upload.ts';
import { decideReview } from '../receipt/operator-review.ts';
import { admit, type CreateOperation } from '../admission/admit.ts';
import { attemptsToWithdraw, noteWithdrawal } from '../due-steps/withdrawals.ts';
import { recordAnswer, type AttemptAnswer } from '../attempts/provider-answer.ts';
import { rejectAbandoned } from '../attempts/acceptance-wait.ts';
import type { Leg, ManualCheckReason, OperationEvent } from '../events.ts';
import { evolve } from '../evolve.ts';
import { nextCreateStep } from '../attempts/create-step.ts';
import { recordQuote, recordReservation } from '../payout-funds/record.ts';
import { applyReport } from '../reports/apply-report.ts';
import { expireOperation } from '../ends/expiry.ts';
import type { ProviderReport } from '../reports/report.ts';
import { noOperation, type Operation, type OperationState } from '../state.ts';
import { create as createOf, route as routeOf } from './create.ts';

/** The history of one operation, produced by the decisions: a real log may contain it. */
export type History = { create: CreateOperation; events: OperationEvent[] };

type Step =
  | { step: 'answer'; answer: AttemptAnswer; timeIsUp: boolean }
  | { step: 'report'; status: ProviderReport['status']; percents: number[]; whole: boolean }
  | { step: 'correct' | 'return'; percent: number }
  | { step: 'upload'; pdf: boolean }
  | {
      step: 'reviewed';
      state: 'flagged' | 'approved' | 'declined';
      reason: ManualCheckReason | undefined;
    }
  | { step: 'operator'; decision: 'approve' | 'decline' | 'ask_again'; percent: number }
  | { step: 'abandon' | 'expire' | 'withdraw' | 'cancel' | 'submitted' | 'close' };

const longAfter = '2036-01-31T12:00:00.000Z';

/** Random legal histories, from an admission alone to a terminal status with late withdrawals. */
export const histories: fc.Arbitrary<History> = fc
  .record({
    create: anyCreate(),
    cancelFirst: fc.nat(19).map((dice) => dice === 0),
    steps: fc.array(anyStep(), { maxLength: 12 }),
  })
  .map(({ create, cancelFirst, steps }) => live(create, steps, cancelFirst));

/** The same histories for the same seed, each operation with ids of its own. */
export function sampleHistories(count: number, seed: number): History[] {
  return fc.sample(histories, { numRuns: count, seed });
}

/** The common history, for loads: admitted, accepted, paid (four events, of a payout six). */
export function paidHistory(change: Partial<CreateOperation>): History {
  const answer: Step = { step: 'answer', answer: accepted, timeIsUp: false };
  // A payout's first step reserves its funds.
  const reserve = change.type === 'payout' ? [answer] : [];
  return live(createOf(change), [
    ...reserve,
    answer,
    { step: 'report', status: 'open', percents: [40, 60], whole: true },
  ]);
}

const accepted: Extract<AttemptAnswer, { outcome: 'accepted' }> = {
  outcome: 'accepted',
  providerReference: 'reference-1',
  requisites: { number: '2200000000000004', name: 'Иван И.', bankname: 'sberbank' },
  expiresAt: '2026-01-31T12:30:00.000Z',
};

function live(create: CreateOperation, steps: readonly Step[], cancelFirst = false): History {
  const events: OperationEvent[] = [];
  let state: OperationState = noOperation;
  const apply = (decision: object) => {
    if (!('events' in decision)) return;
    for (const event of decision.events as OperationEvent[]) {
      events.push(event);
      state = evolve(state, event);
    }
  };
  if (cancelFirst && create.type === 'payment')
    apply(cancel(state, { ...create, reason: 'cancel' }));
  apply(admit(state, create));
  for (const step of steps) apply(decide(state, step, create.routes));
  return { create, events };
}

function decide(state: OperationState, step: Step, routes: readonly Route[]): object {
  if (state.phase !== 'admitted') return {};
  switch (step.step) {
    case 'answer':
      return advance(state, step, routes);
    case 'report':
      return moneyReported(state, step);
    case 'correct':
      return corrected(state, step.percent);
    case 'return':
      return returned(state, step.percent);
    case 'abandon':
      return rejectAbandoned(state, longAfter);
    case 'expire':
      return expireOperation(state, longAfter);
    case 'withdraw': {
      const [attempt] = attemptsToWithdraw(state);
      return attempt === undefined ? {} : noteWithdrawal(state, attempt);
    }
    case 'cancel': {
      const { operationId, shopId, merchantId, merchantOperationId } = state;
      return cancel(state, {
        operationId,
        shopId,
        merchantId,
        merchantOperationId,
        reason: 'cancel',
      });
    }
    case 'close':
      return closeOperationByHand(state, { note: 'nobody answers', nowIso: longAfter });
    case 'upload':
      return uploadReceipt(state, {
        receiptId: `receipt-${state.receipts.length}`,
        sha256: `hash-${state.receipts.length}`,
        sizeBytes: 1_000,
        pdf: step.pdf,
      });
    case 'submitted':
      return noteSubmitted(state, { receiptId: receiptToSubmit(state) ?? '', isAccepted: true });
    case 'reviewed':
      return receiptReviewed(state, step);
    case 'operator':
      return decideReview(state, {
        decision: step.decision,
        actualAmount: share(state.request.amount, step.percent === 0 ? 100 : step.percent),
        mayExceed: true,
        note: 'seen',
        legId: `${state.revision}-operator`,
        nowIso: longAfter,
      });
  }
}

function moneyReported(state: Operation, step: Extract<Step, { step: 'report' }>): object {
  const attempt = state.accepted?.attempt ?? 1;
  const fresh = step.percents.map((percent, index): Leg => ({
    leg_id: `${state.revision}-${index}`,
    amount: share(state.request.amount, percent),
    completed_at: longAfter,
    file: percent > 50,
  }));
  // A report is cumulative: it repeats the earlier legs.
  const legs = [...state.legs, ...fresh];
  const evidence = step.whole && ({ evidence: 'legs' } as const);
  return applyReport(state, { attempt, status: step.status, legs, ...evidence });
}

/** The provider's decision on the receipt that it reviews. */
function receiptReviewed(state: Operation, step: Extract<Step, { step: 'reviewed' }>): object {
  const { receiptUnderReview: receiptId, accepted: current, legs } = state;
  if (receiptId === undefined || !current) return {};
  const status = { flagged: 'open', approved: 'completed', declined: 'declined' } as const;
  return applyReport(state, {
    attempt: current.attempt,
    status: status[step.state],
    legs,
    review: { receiptId, state: step.state, reason: step.reason },
  });
}

/** Corrects the first leg. The revision serves as report version, because it only grows. */
function corrected(state: Operation, percent: number): object {
  const [first, ...others] = state.legs;
  if (!first || !state.accepted) return {};
  const amount = share(state.request.amount, percent);
  const legs = percent === 0 ? others : [{ ...first, amount }, ...others];
  const { attempt } = state.accepted;
  return applyReport(state, { attempt, version: state.revision, status: 'open', legs });
}

/** Returns a part of the first leg, or more than its amount. */
function returned(state: Operation, percent: number): object {
  const [first] = state.legs.filter(({ synthetic }) => !synthetic);
  if (!first || !state.accepted) return {};
  const { leg_id: of_leg_id, completed_at } = first;
  const amount = share(first.amount, percent);
  const back = { leg_id: `${state.revision}-back`, of_leg_id, amount, completed_at };
  const { attempt } = state.accepted;
  return applyReport(state, { attempt, status: 'open', legs: state.legs, returns: [back] });
}

/** The next step of a create: a quote, the reservation, or the provider's answer. */
function advance(
  state: Operation,
  { answer, timeIsUp }: Extract<Step, { step: 'answer' }>,
  routes: readonly Route[],
): object {
  const next = nextCreateStep(state);
  const attempt = state.attempts.length;
  if (next?.step === 'quote') {
    const quote =
      answer.outcome === 'accepted'
        ? ({ outcome: 'quoted', rate: '0.012345' } as const)
        : ({ outcome: 'unknown', cause: 'timeout' } as const);
    return recordQuote(state, { attempt, quote, routes, timeIsUp });
  }
  if (next?.step === 'reserve') {
    const reserved = answer.outcome === 'refused' ? 'insufficient_funds' : 'reserved';
    return recordReservation(state, { attempt, answer: reserved, routes, timeIsUp });
  }
  return recordAnswer(state, { attempt, answer, routes, timeIsUp });
}

const share = (amount: Amount, percent: number): Amount =>
  toAmount(fromAmount(amount).times(percent).dividedBy(100));

function anyAmount(): fc.Arbitrary<Amount> {
  return fc
    .oneof(
      fc.integer({ min: 1, max: 500 }).map(BigInt),
      fc.bigInt({ min: 1n, max: 99_999_999_999_999_999n }),
    )
    .map((minor) => {
      const digits = minor.toString().padStart(3, '0');
      return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
    });
}

/** Any code point but a surrogate. fast-check's own unit first takes 1.3 s to list them all. */
function anyCharacter(): fc.Arbitrary<string> {
  return fc
    .nat(0x10_ffff - 0x800)
    .map((index) => String.fromCodePoint(index < 0xd800 ? index : index + 0x800));
}

function anyCreate(): fc.Arbitrary<CreateOperation> {
  return fc
    .record({
      operationId: fc.uuid(),
      type: fc.constantFrom('payment' as const, 'payout' as const),
      method: fc.constantFrom('WT_RUB_C2C' as const, 'WT_RUB_PHONE' as const),
      amount: anyAmount(),
      shop: fc.integer({ min: 1, max: 5 }),
      text: fc.string({ minLength: 1, maxLength: 20, unit: anyCharacter() }),
      routes: fc.array(anyRoute(), { maxLength: 3 }),
    })
    .map(({ operationId, type, method, amount, shop, text, routes: some }) =>
      createOf({
        operationId,
        type,
        shopId: `shop-${shop}`,
        merchantOperationId: `${operationId} ${text}`,
        request: {
          client_id: text,
          method,
          amount,
          currency: 'RUB',
          ...(type === 'payout' && {
            destination: { number: '2200123412341234', name: 'аноним', bankname: 'sberbank' },
          }),
        },
        routes: some.map((each, index) => ({ ...each, type, method, priority: index + 1 })),
      }),
    );
}

function anyRoute(): fc.Arbitrary<Route> {
  return fc
    .record({
      provider: fc.constantFrom('sandbox', 'other'),
      requiresReceipt: fc.boolean(),
      converts: fc.boolean(),
      percent: fc.constantFrom('0', '2.50', '33.3333', '100'),
      fixed: fc.constantFrom('0.00', '0.01', '15.00'),
    })
    .map(({ provider, requiresReceipt, converts, percent, fixed }) =>
      routeOf({
        provider,
        requires_receipt: requiresReceipt,
        commission: { percent, fixed },
        ...(converts && { conversion: { settlement_currency: 'USD', fx_source: 'sandbox' } }),
      }),
    );
}

function anyAnswer(): fc.Arbitrary<AttemptAnswer> {
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .record({ expires: fc.boolean(), quotes: fc.boolean() })
        .map(({ expires, quotes }): AttemptAnswer => {
          const { expiresAt, ...rest } = accepted;
          return { ...rest, ...(expires && { expiresAt }), ...(quotes && { fxRate: '0.012500' }) };
        }),
    },
    { weight: 1, arbitrary: fc.constant<AttemptAnswer>({ outcome: 'refused', reason: 'limit' }) },
    { weight: 1, arbitrary: fc.constant<AttemptAnswer>({ outcome: 'unknown', cause: 'timeout' }) },
  );
}

function anyStep(): fc.Arbitrary<Step> {
  const answer = fc
    .record({ answer: anyAnswer(), timeIsUp: fc.nat(9).map((dice) => dice === 0) })
    .map((fields): Step => ({ step: 'answer', ...fields }));
  const report = fc
    .record({
      status: fc.constantFrom(
        'open',
        'open',
        'completed',
        'declined',
        'expired',
        'withdrawn' as const,
      ),
      percents: fc.array(fc.integer({ min: 1, max: 120 }), { maxLength: 3 }),
      whole: fc.boolean(),
    })
    .map((fields): Step => ({ step: 'report', ...fields }));
  const correct = fc
    .constantFrom(0, 10, 150)
    .map((percent): Step => ({ step: 'correct', percent }));
  const back = fc.constantFrom(50, 100, 130).map((percent): Step => ({ step: 'return', percent }));
  const reason = fc.constantFrom('potential_fake' as const, 'not_terminal' as const, undefined);
  const upload = fc.boolean().map((pdf): Step => ({ step: 'upload', pdf }));
  const reviewed = fc
    .record({
      state: fc.constantFrom('flagged', 'flagged', 'approved', 'declined' as const),
      reason,
    })
    .map((fields): Step => ({ step: 'reviewed', ...fields }));
  const operator = fc
    .record({
      decision: fc.constantFrom('approve' as const, 'decline' as const, 'ask_again' as const),
      percent: fc.constantFrom(0, 50, 100, 130),
    })
    .map((fields): Step => ({ step: 'operator', ...fields }));
  const others = fc
    .constantFrom('abandon', 'expire', 'withdraw', 'cancel', 'submitted', 'close')
    .map((step): Step => ({ step }));
  return fc.oneof(
    { weight: 6, arbitrary: answer },
    { weight: 4, arbitrary: report },
    { weight: 1, arbitrary: correct },
    { weight: 1, arbitrary: back },
    { weight: 2, arbitrary: upload },
    { weight: 2, arbitrary: reviewed },
    { weight: 1, arbitrary: operator },
    { weight: 2, arbitrary: others },
  );
}
