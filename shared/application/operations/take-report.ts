import { lateStream, type LateEvent } from '#shared/domain/late/events.ts';
import { contradictsNumbered } from '#shared/domain/late/differences.ts';
import { recordLate } from '#shared/domain/late/record.ts';
import type { LateState } from '#shared/domain/late/state.ts';
import { decideReport } from '#shared/domain/operation/decisions.ts';
import type { ProviderAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import { providerAccount } from '#shared/domain/provider/accounts.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import type { ReportDecision } from '#shared/domain/operation/reports/decide-report.ts';
import { isAcceptedAndOpen, type ProviderReport } from '#shared/domain/operation/reports/report.ts';
import {
  findAttempt,
  type Attempt,
  type Operation,
  type OperationState,
} from '#shared/domain/operation/state.ts';
import {
  foldStored,
  type EventMetadata,
  type EventStore,
} from '#shared/platform/event-store/index.ts';
import { UndecidedCommand } from '#shared/platform/event-store/handle-command.ts';
import type { ReportSealers } from '#shared/application/personal-data/personal-data.ts';
import type { SignedReport } from '#shared/application/personal-data/signed-report.ts';
import type { Origin } from '../commands/origin.ts';
import { decideAndAppend } from '#shared/application/commands/decide-and-append.ts';
import { admitted } from './handle-operation.ts';
import { ReportSeals } from './report-seals.ts';
import { lateFactsFold, operations } from './streams.ts';

type TakenReport =
  /**
   * Everything in the report is in the log; `unreadable`: without its callback, because the
   * client's key can't be read.
   */
  | { outcome: 'taken'; operation: Operation; unreadable?: true }
  /** This attempt was never submitted to this provider. */
  | { outcome: 'unknown_operation' }
  /** Its create is still in progress, and must record the provider's response first. */
  | { outcome: 'too_early' }
  /** An amount has more decimals than the operation's currency: nothing is recorded. */
  | { outcome: 'amount_invalid' }
  /**
   * It has no version, and contradicts reports on the attempt that had one: it can't be told
   * whether it is older or newer, so nothing is recorded.
   */
  | { outcome: 'report_unnumbered' }
  | { outcome: 'undecided'; cause: unknown };

type ReceivedReport = {
  operationId: string;
  provider: string;
  /**
   * The account whose secret signed the callback: it may only report on that account's attempts.
   */
  account?: string;
  /** The outcome of the submission. */
  answer: ProviderAnswer;
  report: ProviderReport;
  /**
   * Requested before the operation was terminal, so a terminal status in it may only mean that the
   * payment window was over: approved money may still be received.
   */
  beforeEnd?: boolean;
  /** The callback, to be stored with the first event; undefined if the provider was polled. */
  signed?: SignedReport;
};

/** The origin of a report's events, as far as it depends on the operation's create. */
type ReportOrigin = (startMetadata: EventMetadata | undefined) => Origin;

export type ReportPorts = { store: EventStore; personal: ReportSealers };

/**
 * The audit allows a minute between a callback's verification and its append: a report that can't
 * be recorded by then is undecided, and its provider sends it again.
 */
const withinMs = 20_000;
const appendWithinMs = 10_000;

/**
 * Applies a provider's report on an attempt to the operation; late facts are recorded in its
 * `late-` stream (R13.7). Idempotent: a report is complete, so one that was applied before adds
 * nothing. Each further try means that the operation has changed between two reads.
 */
export async function takeReport(
  ports: ReportPorts,
  received: ReceivedReport,
  origin: Origin | ReportOrigin,
): Promise<TakenReport> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) {
    const result = await tryReport(ports, received, { origin, deadline });
    if (result.outcome !== 'changed') return result;
  }
  return { outcome: 'undecided', cause: new Error('the operation changed during each try') };
}

/** `changed`: the operation has changed since, and late facts depend on it: try again. */
async function tryReport(
  { store, personal }: ReportPorts,
  received: ReceivedReport,
  { origin, deadline }: { origin: Origin | ReportOrigin; deadline: number },
): Promise<TakenReport | { outcome: 'changed' }> {
  const { operationId, signed } = received;
  const seals = new ReportSeals(personal, signed);
  const { folding, startMetadata } = foldWithStart();
  const target = {
    store,
    origin: () => (typeof origin === 'function' ? origin(startMetadata()) : origin),
    report: () => seals.callback(operationId),
  };
  const remainingMs = () => Math.min(appendWithinMs, deadline - performance.now());
  const stream = operationStream(operationId);
  const recent = store.recent(stream);
  const cached = recent && foldStored(folding, recent);
  const result = await decideAndAppend(
    {
      ...target,
      stream,
      folding,
      deadlineMs: remainingMs(),
      fromState: cached,
      mayBeStale: true,
      seal: (events, state, mayBeStale) => seals.seal(events, admitted(state), mayBeStale),
    },
    async (state): Promise<ReportDecision | { refusal: ReportRefusal }> => {
      const attempt = reportedAttempt(state, received);
      if (state.phase !== 'admitted' || !attempt) return { refusal: 'unknown_operation' };
      if (await contradictsOpen(store, state, received.report))
        return { refusal: 'report_unnumbered' };
      return decideReport(state, attempt, received);
    },
  );
  if (result.outcome === 'undecided') return result;
  if (result.outcome === 'refused') return { outcome: result.refusal };
  const operation = admitted(result.state);
  const { late: facts, afterwards } = result.decision;
  // Also without a late fact: a leg reported before, or its return, may have been corrected.
  if (afterwards || facts.length > 0 || operation.returns.length > 0) {
    const { report, beforeEnd = false } = received;
    const recorded = await decideAndAppend(
      {
        ...target,
        stream: lateStream(operationId),
        folding: lateFactsFold,
        deadlineMs: remainingMs(),
        seal: (events) => seals.sealLate(events, operation),
      },
      async (state: LateState): Promise<LateDecision> => {
        if (contradictsNumbered(state, { operation, report }))
          return { refusal: 'report_unnumbered' };
        const fromRevision = operation.revision + 1;
        const newer = await readStored(store, stream, { fromRevision, maxCount: 1 });
        if (newer.length > 0) return { refusal: 'changed' };
        return recordLate(state, { operation, report, facts, beforeEnd });
      },
    );
    if (recorded.outcome === 'undecided') return recorded;
    if (recorded.outcome === 'refused') return { outcome: recorded.refusal };
  }
  return { outcome: 'taken', operation, ...(seals.unreadable && { unreadable: true }) };
}

/** Folds an operation, and notes the metadata of its first event. */
function foldWithStart() {
  let startMetadata: EventMetadata | undefined;
  const folding: typeof operations = {
    ...operations,
    evolve: (state, event, stored) => {
      startMetadata ??= stored.metadata;
      return operations.evolve(state, event, stored);
    },
  };
  return { folding, startMetadata: () => startMetadata };
}

/**
 * Whether a report without a version contradicts numbered ones while the operation is open. Its
 * late facts count too: a return may exceed its leg. @throws UndecidedCommand when the store does
 * not answer
 */
async function contradictsOpen(
  store: EventStore,
  operation: Operation,
  report: ProviderReport,
): Promise<boolean> {
  const { reportVersion: newest } = operation;
  if (report.version !== undefined || newest === undefined) return false;
  if (!isAcceptedAndOpen(operation, report.attempt)) return false;
  const stored = await readStored(store, lateStream(operation.operationId));
  return contradictsNumbered(foldStored(lateFactsFold, stored), { operation, report });
}

/** A read within a decision. @throws UndecidedCommand when the store does not answer */
const readStored = (store: EventStore, ...args: Parameters<EventStore['read']>) =>
  store.read(...args).catch((cause: unknown) => {
    throw new UndecidedCommand(cause);
  });

type ReportRefusal = 'unknown_operation' | 'too_early' | 'amount_invalid' | 'report_unnumbered';
type LateDecision = { events: LateEvent[] } | { refusal: 'changed' | 'report_unnumbered' };

/**
 * The attempt of a report. A provider may report only on its own attempts, and an account only on
 * those that were made with it.
 */
function reportedAttempt(
  state: OperationState,
  { provider, account, report }: ReceivedReport,
): Attempt | undefined {
  const attempt = state.phase === 'admitted' ? findAttempt(state, report.attempt) : undefined;
  if (attempt?.route.provider !== provider) return undefined;
  return account === undefined || providerAccount(attempt.route) === account ? attempt : undefined;
}
