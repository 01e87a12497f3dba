import { fold } from '../evolve.ts';
import { fitsCurrency } from '../../money.ts';
import type { OperationEvent } from '../events.ts';
import type { Attempt, Operation, OperationState } from '../state.ts';
import { recordAnswer, type AttemptAnswer } from '../attempts/provider-answer.ts';
import { applyReport } from './apply-report.ts';
import type { LateFact } from './late-facts.ts';
import { isAcceptedAndOpen, type ProviderReport } from './report.ts';

/**
 * `late`: facts that the operation itself can't record; `afterwards`: it uses another attempt, or
 * is terminal.
 */
export type ReportDecision = { events: OperationEvent[]; late: LateFact[]; afterwards: boolean };

/** `answer`: to the submission; without effect if none is awaited. */
export function decideReport(
  state: Operation,
  { attempt, outcome }: Attempt,
  { answer, report }: { answer: AttemptAnswer; report: ProviderReport },
): ReportDecision | { refusal: 'too_early' | 'amount_invalid' } {
  const { legs, returns = [] } = report;
  if ([...legs, ...returns].some(({ amount }) => !fitsCurrency(amount, state.request.currency)))
    return { refusal: 'amount_invalid' };
  const answered = takeAnswer(state, attempt, answer);
  // While the create is in progress, only it records refusals, because it has the remaining routes.
  const early = state.status === 'creating' && outcome === 'started';
  if (early && !answered.some(({ type }) => type === 'AttemptAccepted'))
    return { refusal: 'too_early' };
  const current = fold(answered, state);
  const { events, late } = applyReport(current, report);
  const afterwards = current.phase === 'admitted' && !isAcceptedAndOpen(current, attempt);
  return { events: [...answered, ...events], late, afterwards };
}

/**
 * The callback was received before the provider's response, or the response was lost with its
 * process, or the outcome of a payout was unknown until now.
 */
function takeAnswer(
  state: OperationState,
  attempt: number,
  answer: AttemptAnswer,
): OperationEvent[] {
  const decision = recordAnswer(state, { attempt, answer, routes: [], timeIsUp: false });
  return 'events' in decision ? decision.events : [];
}
