import { closeOperationByHand, rejectAbandoned } from '#shared/domain/operation/decisions.ts';
import { attemptInForce, mayBeClosed } from '#shared/domain/operation/ends/close-by-hand.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { notDecided } from '#shared/application/directory/command-shop.ts';
import { byAnother, type Origin } from '#shared/application/commands/origin.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { handleAdmitted } from './handle-operation.ts';
import { pollAttempt, type PollPorts } from './poll-attempt.ts';
import type { EntryPoster } from './post-before-answer.ts';
import { readAdmitted, readAndPost } from './read-events.ts';

/** The detail of a refusal that only `force` overrules. */
export const providerObjects =
  'its provider has accepted the operation, which is still in progress, or reports on it what can’t be applied: only `force` closes it';

/** How long to wait for the provider's answer: the operator's request waits too. */
const callTimeoutMs = 5_000;
/** The operation may change while its provider is polled: then the provider is polled again. */
const maxTries = 3;

type CloseInput = { note: string; force: boolean; origin: Origin };

/**
 * An admin ends an operation that would stay open forever (R13.11).
 * @returns its events; their entries are posted
 * @throws Problem operation_not_found, close_not_allowed; not_ready when the command should be
 * retried
 */
export async function closeByHand(
  ports: PollPorts & { entryPoster: Pick<EntryPoster, 'post'> },
  operationId: string,
  input: CloseInput,
): Promise<StoredEvent[]> {
  await closeUnlessMoved(ports, await readAdmitted(ports.store, operationId), input);
  return readAndPost(ports, operationId);
}

async function closeUnlessMoved(
  ports: PollPorts,
  first: Operation,
  input: CloseInput,
): Promise<void> {
  let operation = first;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const { operation: reported, goesOn } = await bringUpToDate(ports, operation, input);
    const result = await handleAdmitted(
      { store: ports.store, operation: reported, origin: input.origin },
      (state) => {
        if (state.revision !== reported.revision) return { refusal: { code: 'moved' as const } };
        const nowIso = new Date().toISOString();
        return closeOperationByHand(state, { note: input.note, forced: goesOn, nowIso });
      },
    );
    if (result.outcome === 'undecided') throw notDecided(result.cause);
    if (result.outcome === 'done') return;
    if (result.refusal.code !== 'moved') throw new Problem(result.refusal.code);
    operation = result.state;
  }
  throw notDecided(new Error('the operation changed during each poll of its provider'));
}

/**
 * The operation with its provider's latest report applied, and whether the provider reports it as
 * still in progress, or accepted with a report that can't be applied.
 * @throws Problem close_not_allowed if it does and is not overruled
 */
async function bringUpToDate(
  ports: PollPorts,
  operation: Operation,
  input: CloseInput,
): Promise<{ operation: Operation; goesOn: boolean }> {
  const origin = byAnother(input.origin, 'service:admin');
  const started = await rejectIfAbandoned(ports, operation, origin);
  if (!mayBeClosed(started, new Date().toISOString())) throw new Problem('close_not_allowed');
  const attempt = attemptInForce(started);
  if (!attempt) return { operation: started, goesOn: false };
  // Without the request's signal: an aborted request must not count as the provider's silence.
  const bounds = { timeoutMs: callTimeoutMs };
  const polled = await pollAttempt(
    ports,
    { operation: started, attempt },
    { bounds, origin, now: Date.now },
  );
  if (polled.outcome === 'undecided') throw notDecided(polled.cause);
  // A provider that can't be polled, or does not know the attempt, does not object.
  const { holds = false } = polled;
  if (holds && !input.force) throw new Problem('close_not_allowed', { detail: providerObjects });
  return { operation: polled.outcome === 'taken' ? polled.operation : started, goesOn: holds };
}

/** Rejects what had no outcome within the acceptance wait: this needs no operator. */
async function rejectIfAbandoned(
  { store }: PollPorts,
  operation: Operation,
  origin: Origin,
): Promise<Operation> {
  if (operation.status !== 'creating') return operation;
  const nowIso = new Date().toISOString();
  const result = await handleAdmitted({ store, operation, origin }, (state) =>
    rejectAbandoned(state, nowIso),
  );
  if (result.outcome !== 'done') throw notDecided('cause' in result ? result.cause : undefined);
  return result.state;
}
