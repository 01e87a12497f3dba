import { lateStream } from '#shared/domain/late/events.ts';
import { recordOvercharge } from '#shared/domain/late/overcharge.ts';
import {
  expireOperation,
  noteSubmitted,
  noteWithdrawal,
  rejectAbandoned,
} from '#shared/domain/operation/decisions.ts';
import { neverArrived } from '#shared/domain/operation/attempts/never-submitted.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import type { DueStep } from '#shared/domain/operation/due-steps/steps.ts';
import {
  findAttempt,
  isTerminal,
  type Attempt,
  type Operation,
  type OperationState,
} from '#shared/domain/operation/state.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import {
  pollAttempt,
  readRecordedVersions,
  withSureVersion,
} from '#shared/application/operations/poll-attempt.ts';
import { attemptRef } from '#shared/application/providers/connector.ts';
import { decideAndAppend } from '#shared/application/commands/decide-and-append.ts';
import { handleAdmitted } from '#shared/application/operations/handle-operation.ts';
import { lateFactsFold } from '#shared/application/operations/streams.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import { postEntries, ledgerEntries } from '#shared/application/operations/post-entries.ts';
import { takeReport } from '#shared/application/operations/take-report.ts';
import type { ReportSealers } from '#shared/application/personal-data/personal-data.ts';
import { errorMessage } from '#shared/platform/error-message.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { arrivedUntil } from '#shared/application/providers/facts.ts';
import type { CallBounds, Providers } from '#shared/application/providers/connector.ts';
import type { ReceiptStore } from '#shared/application/receipts/receipt-store.ts';
import { readUploadedFile } from '#shared/application/receipts/read-uploaded.ts';
import { receiptContentType } from '#shared/application/receipts/store.ts';

/** The mark of a payout whose excess cost has been recorded for an operator. */
export const overchargeDone = 'overcharge';
/** The mark of an attempt that its provider has ended, so that its last response is final. */
export const endedByProviderDone = (attempt: number): string => `heard_out ${attempt}`;

/** Too many calls are in progress: retry after this many milliseconds. */
type Busy = { outcome: 'busy'; retryMs: number };

export type Calls = {
  /**
   * The call's result, or `busy` at once; it never waits for another call to end. `lane`: the
   * provider.
   */
  run<T>(lane: string, call: () => Promise<T>): Promise<T | Busy>;
};

type StepContext = {
  store: EventStore;
  providers: Providers;
  personal: ReportSealers;
  ledgers: Pick<Ledgers, 'post' | 'isPosted'>;
  receipts: Pick<ReceiptStore, 'get'>;
  operation: Operation;
  /** All events from which the operation was folded. */
  events: readonly StoredEvent[];
  /** Work that is done, and recorded outside of the operation's own stream; steps add to it. */
  done: Set<string>;
  origin: Origin;
  /** Failures in a row. */
  tries: number;
  now(): number;
  bounds: CallBounds;
  calls: Calls;
  logger: Pick<Logger, 'warn'>;
};

/**
 * `pending`: the provider has not decided, and is polled again. `failed`: to be retried later.
 * `absent`: the provider is not configured. `busy`: not tried yet, because too many calls are in
 * progress.
 */
export type StepResult =
  | { outcome: 'done' }
  | { outcome: 'pending'; reason: string }
  | { outcome: 'failed'; reason: string }
  | { outcome: 'absent'; provider: string }
  | Busy;

const done: StepResult = { outcome: 'done' };
const failed = (reason: string): StepResult => ({ outcome: 'failed', reason });
const pending = (reason: string): StepResult => ({ outcome: 'pending', reason });

/** Runs one due step. It is safe to repeat, also in two processes at once. */
export async function runDueStep(context: StepContext, step: DueStep): Promise<StepResult> {
  if ('attempt' in step) {
    const { provider } = step.attempt.route;
    if (!context.providers.has(provider)) return { outcome: 'absent', provider };
    return context.calls.run(provider, () => callProvider(context, step));
  }
  switch (step.step) {
    case 'reject':
      return append(context, (state) => rejectAbandoned(state, nowIso(context)));
    case 'post':
      return post(context);
    case 'record_overcharge':
      return recordOverchargeFact(context);
  }
}

/** A step that needs a call to the attempt's provider. */
function callProvider(
  context: StepContext,
  step: Extract<DueStep, { attempt: Attempt }>,
): Promise<StepResult> {
  switch (step.step) {
    case 'withdraw':
      return withdraw(context, step.attempt);
    case 'poll':
      return poll(context, step);
    case 'submit_receipt':
      return submitReceipt(context, step);
    case 'poll_to_end':
      return pollToEnd(context, step.attempt);
  }
}

/** Posts the due entries that are not in the ledger yet. */
async function post({
  ledgers,
  operation,
  events,
  done: doneKeys,
  tries,
}: StepContext): Promise<StepResult> {
  const entries = ledgerEntries(operation, events, 'service:processor').filter(
    ({ key }) => !doneKeys.has(key),
  );
  const { posted, result } = await postEntries(ledgers, entries, tries);
  for (const key of posted) doneKeys.add(key);
  return result;
}

/** Records for an operator that a payout cost more than agreed. */
async function recordOverchargeFact({
  store,
  operation,
  origin,
  done: doneKeys,
}: StepContext): Promise<StepResult> {
  const stream = lateStream(operation.operationId);
  const result = await decideAndAppend({ store, stream, folding: lateFactsFold, origin }, (state) =>
    recordOvercharge(state, operation),
  );
  if (result.outcome !== 'done')
    return failed(`the event store did not decide: ${failureReason(result)}`);
  doneKeys.add(overchargeDone);
  return done;
}

async function withdraw(context: StepContext, target: Attempt): Promise<StepResult> {
  const { operation, providers, bounds, now } = context;
  const { attempt, route } = target;
  const connector = providers.get(route.provider);
  if (!connector?.withdraw) return failed(`provider ${route.provider} has no withdrawals`);
  const recorded = await readRecorded(context, attempt);
  if ('outcome' in recorded) return recorded;
  // The response shows the state at the time of the request, not of its receipt.
  const requestedMs = now();
  const withdrawal = await connector.withdraw(attemptRef(operation, target), bounds);
  if (withdrawal.outcome === 'unknown') return failed(withdrawal.cause);
  if (withdrawal.outcome === 'not_found') {
    const arrivedUntilIso = arrivedUntil(connector, requestedMs);
    if (!neverArrived(operation, { attempt, arrivedUntilIso }))
      return pending('the provider does not find the attempt, which may still arrive');
    return append(context, (state) => noteWithdrawal(state, attempt));
  }
  const { answer } = withdrawal;
  const report = withSureVersion(withdrawal.report, recorded);
  // Money that came although it was withdrawn is a late fact, whether or not the provider accepted
  // the withdrawal.
  const applied = await applyResponse(context, { provider: route.provider, answer, report });
  if (applied.outcome !== 'done') return applied;
  return append(context, (state) => noteWithdrawal(state, attempt));
}

async function poll(
  context: StepContext,
  step: Extract<DueStep, { step: 'poll' }>,
): Promise<StepResult> {
  const polled = await pollAttempt(
    context,
    { operation: context.operation, attempt: step.attempt },
    context,
  );
  if (polled.outcome === 'unknown') return failed(polled.cause);
  if (polled.outcome === 'undecided')
    return failed(`the answer could not be applied: ${failureReason(polled)}`);
  const { operation } = polled;
  // For a payout with an unknown outcome the provider is polled until it decides (R7.6).
  if (step.about === 'outcome') {
    const open = findAttempt(operation, step.attempt.attempt)?.outcome === 'unresolved';
    return open ? pending('the provider has not decided') : done;
  }
  if (isTerminal(operation.status)) return done;
  // The provider reports no money, so the payment may expire.
  return step.about === 'expiry'
    ? append(context, (state) => expireOperation(state, nowIso(context)))
    : done;
}

/**
 * Polls the provider about late or approved money. Its response is final once it has ended the
 * attempt after the operation was terminal; an earlier response may only mean that the payment
 * window was over.
 */
async function pollToEnd(context: StepContext, attempt: Attempt): Promise<StepResult> {
  const polled = await pollAttempt(context, { operation: context.operation, attempt }, context);
  if (polled.outcome === 'unknown') return failed(polled.cause);
  if (polled.outcome === 'undecided')
    return failed(`the answer could not be applied: ${failureReason(polled)}`);
  if (!polled.holds && isTerminal(context.operation.status))
    context.done.add(endedByProviderDone(attempt.attempt));
  return done;
}

/** Submits a receipt to the provider if the upload request could not. */
async function submitReceipt(
  context: StepContext,
  { attempt, receiptId }: Extract<DueStep, { step: 'submit_receipt' }>,
): Promise<StepResult> {
  const { route } = attempt;
  const connector = context.providers.get(route.provider);
  if (!connector) return failed(`no connector for provider ${route.provider}`);
  // Where the provider takes no receipts, a person reviews them (R9.8).
  if (!connector.submitReceipt)
    return append(context, (state) => noteSubmitted(state, { receiptId, isAccepted: false }));
  const { operationId, receipts } = context.operation;
  const receipt = receipts.find((each) => each.receiptId === receiptId);
  if (!receipt) return failed('the operation has no such receipt');
  let content: Uint8Array | undefined;
  try {
    content = await readUploadedFile(context.receipts, operationId, receipt);
  } catch (error) {
    return failed(errorMessage(error));
  }
  if (!content) return failed('the receipt file is not in the store');
  const recorded = await readRecorded(context, attempt.attempt);
  if ('outcome' in recorded) return recorded;
  const submission = await connector.submitReceipt(
    attemptRef(context.operation, attempt),
    { receiptId, content, contentType: receiptContentType(receipt.pdf) },
    context.bounds,
  );
  if (submission.outcome === 'unknown') return failed(submission.cause);
  if (submission.outcome === 'taken') {
    const { answer } = submission;
    const report = withSureVersion(submission.report, recorded);
    const applied = await applyResponse(context, { provider: route.provider, answer, report });
    if (applied.outcome !== 'done') return applied;
  }
  const submitted = { receiptId, isAccepted: submission.outcome === 'taken' };
  return append(context, (state) => noteSubmitted(state, submitted));
}

/** The numbers recorded before a call, below which its response counts as one without (R13.20). */
const readRecorded = ({ store, operation }: StepContext, attempt: number) =>
  readRecordedVersions(store, { operation, attempt }).catch((error: unknown) =>
    failed(errorMessage(error)),
  );

async function applyResponse(
  { store, personal, operation, origin, logger }: StepContext,
  response: Omit<Parameters<typeof takeReport>[1], 'operationId'>,
): Promise<StepResult> {
  const { operationId } = operation;
  const result = await takeReport({ store, personal }, { operationId, ...response }, origin);
  if (result.outcome === 'taken') return done;
  if (result.outcome !== 'report_unnumbered')
    return failed(`the report could not be applied: ${result.outcome}`);
  const { provider, report } = response;
  logger.warn(
    { operation_id: operationId, provider, attempt: report.attempt, status: report.status },
    'a response contradicts numbered reports, and has no number or a lower one: it is not applied',
  );
  // A repeat would bring the same report again: the answer counts without it.
  return done;
}

async function append(
  { store, operation, origin }: StepContext,
  decide: (state: OperationState) => { events: OperationEvent[] },
): Promise<StepResult> {
  const result = await handleAdmitted({ store, operation, origin }, decide);
  return result.outcome === 'done'
    ? done
    : failed(`the event store did not decide: ${failureReason(result)}`);
}

function failureReason(result: { outcome: string; cause?: unknown }): string {
  return result.cause instanceof Error ? result.cause.message : result.outcome;
}

function nowIso({ now }: StepContext): string {
  return new Date(now()).toISOString();
}
