import { z } from 'zod';
import {
  attemptInForce,
  closeOperationByHand,
  mayBeClosed,
} from '#shared/domain/operation/ends/close-by-hand.ts';
import { rejectAbandoned } from '#shared/domain/operation/attempts/acceptance-wait.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { foldStored } from '#shared/platform/event-store/index.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { pollAttempt, type PollPorts } from '#shared/application/operations/poll-attempt.ts';
import { createEntryPoster } from '#shared/application/operations/post-before-answer.ts';
import { handleAdmitted } from '#shared/application/operations/handle-operation.ts';
import { operations } from '#shared/application/operations/streams.ts';
import { byAnother, type Origin } from '#shared/application/commands/origin.ts';
import { operatorOrigin, type AdminApp } from '../authentication.ts';
import { noteText } from '#shared/platform/http/texts.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { notDecided } from '#shared/application/directory/command-shop.ts';
import { readAdmitted, readOpened, showOperation } from './read.ts';

/** The detail of a refusal that only `force` overrules. */
export const providerObjects =
  'its provider reports that the operation is accepted and still in progress: only `force` closes it';

export const closeBody = z.strictObject({
  note: noteText,
  /** Also if the provider reports that it has accepted the operation and not ended it. */
  force: z.boolean().default(false),
});

/** How long to wait for the provider's answer: the operator's request waits too. */
const callTimeoutMs = 5_000;
/** The operation may change while its provider is polled: then the provider is polled again. */
const maxTries = 3;

/**
 * POST /admin/v1/operations/{operation_id}/close: an admin ends an operation that would stay open
 * forever (R13.11).
 */
export function registerClose(
  app: AdminApp,
  dependencies: Pick<
    AdminDependencies,
    'store' | 'ledgers' | 'personal' | 'accessLog' | 'logger' | 'connectors'
  >,
): void {
  const { store, personal, connectors } = dependencies;
  const entryPoster = createEntryPoster({ ...dependencies, actor: 'service:admin' });
  app.post('/admin/v1/operations/:operation_id/close', async (c) => {
    const { note, force } = validate(closeBody, await readJson(c));
    const operationId = c.req.param('operation_id').toLowerCase();
    const operation = await readAdmitted(store, operationId);
    const ports = { store, personal, providers: connectors };
    await closeByHand(ports, operation, { note, force, origin: operatorOrigin(c) });
    const events = await readOpened(dependencies, operationId, { operator: c.get('operator') });
    const ended = foldStored(operations, events);
    if (ended.phase === 'admitted') await entryPoster.post(ended, events);
    return c.json(showOperation(events));
  });
}

type CloseInput = { note: string; force: boolean; origin: Origin };

/** @throws Problem close_not_allowed; not_ready when the command should be retried */
async function closeByHand(ports: PollPorts, first: Operation, input: CloseInput): Promise<void> {
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
 * still in progress.
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
  if (polled.outcome === 'unknown') return { operation: started, goesOn: false };
  if (polled.holds && !input.force) {
    throw new Problem('close_not_allowed', { detail: providerObjects });
  }
  return { operation: polled.operation, goesOn: polled.holds };
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
