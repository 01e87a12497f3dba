import { common } from '#shared/application/pages/translations.ts';
import { z } from 'zod';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { zero } from '#shared/domain/money.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { isTerminal } from '#shared/domain/operation/state.ts';
import { viewOperation } from '#shared/domain/operation/view.ts';
import { operations } from '#shared/application/operations/streams.ts';
import { foldStored } from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { newId } from '#shared/platform/ids.ts';
import { checkFormToken, readFormValues, type Values } from '#shared/platform/sessions/form.ts';
import { readOperationEvents } from '#shared/application/operations/read-events.ts';
import { simulateReview } from '#shared/application/operations/review-receipt.ts';
import { reviewBody, reviewRules, toReviewCommand } from '../../api/operations/review.ts';
import { givenAmount } from '../actions/shop.ts';
import { buildPath } from '../actions/action.ts';
import { decisionNames } from '../actions/review.ts';
import { findWritten } from '../actions/find-recorded-event.ts';
import { callAdminApi, consoleView, type Console, type ConsoleContext } from '../env.ts';
import type { PageContent } from '../../frame/pages.ts';
import { recheckOperatorSession } from '../session/require.ts';
import type { CommandOutcome } from '../../frame/notice.ts';
import { maxWaiting } from './queue.ts';
import {
  confirmSeveral,
  formOfSeveral,
  receiptName,
  type DecisionProposal,
} from './bulk-review-pages.ts';
import { severalTexts as texts } from './bulk-review-texts.ts';

const route = 'POST /admin/v1/operations/:operation_id/review';

/** The form of one decision on several receipts. */
export async function bulkReviewPage(c: ConsoleContext, console: Console): Promise<PageContent> {
  const chosen = await readChosen(console, c.req.queries('operation') ?? []);
  return formOfSeveral(consoleView(c), { chosen, values: {} });
}

/**
 * Decisions on several receipts with one confirmation. Each is a separate API request, with its own
 * checks, events and outcome.
 */
export async function decideSeveral(
  c: ConsoleContext,
  console: Console,
): Promise<PageContent | Response> {
  const values = await readFormValues(c);
  await recheckOperatorSession(c, console, route);
  checkFormToken(c.get('session'), values);
  const view = consoleView(c);
  const chosen = await readChosen(console, (values['operations'] ?? '').split(','));
  if (chosen.length === 0 || values['change'] !== undefined || values['decision'] === '')
    return formOfSeveral(view, { chosen, values });
  const role = c.get('session').holder.role;
  const proposed = await Promise.all(
    chosen.map((each) => propose(console, each, { values, role })),
  );
  if (values['confirmed'] !== 'yes') return confirmSeveral(view, { proposed, values, id: newId() });
  const run = () => decide(c, console, proposed);
  return c.redirect(await console.once(c.get('session'), values['once'], run), 303);
}

/** @throws Problem invalid_request for what the queue has not offered; operation_not_found */
async function readChosen({ store }: Console, chosen: readonly string[]): Promise<Operation[]> {
  const ids = [...new Set(chosen.filter((id) => id !== ''))];
  if (ids.length > maxWaiting || !ids.every((id) => z.guid().safeParse(id).success))
    throw new Problem('invalid_request', { detail: `choose at most ${maxWaiting} operations` });
  const states = await Promise.all(
    ids.map(async (id) => foldStored(operations, await readOperationEvents(store, id))),
  );
  return states.flatMap((state) => (state.phase === 'admitted' ? [state] : []));
}

/** Makes a dry run of a decision on the current log, as the API would decide it. */
async function propose(
  { store }: Console,
  operation: Operation,
  { values, role }: { values: Values; role: 'admin' | 'operator' | 'auditor' },
): Promise<DecisionProposal> {
  const { operationId, request } = operation;
  const entered = givenAmount(values, `amount_${operationId}`) ?? '';
  // Never assumed: the reviewer has confirmed that all receipts show it.
  const amount = entered === '' && values['as_expected'] !== undefined ? request.amount : entered;
  const decision = values['decision'] ?? '';
  const body = {
    decision,
    note: values['note'] ?? '',
    receipt_id: values[receiptName(operation)],
    actual_amount: decision === 'approve' && amount !== '' ? amount : undefined,
  };
  try {
    const checked = validate(reviewBody, body, reviewRules);
    const events = await readOperationEvents(store, operationId);
    const after = simulateReview(events, toReviewCommand(checked, { role }));
    return { operation, body, credit: computeCredit(after) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { operation, body, refused: whyNot(error) };
  }
}

const whyNot = ({ detail, errors = [] }: Problem): string =>
  errors.length === 0
    ? detail
    : errors.map((error) => `${error.pointer.slice(1)}: ${error.detail}`).join('; ');

function computeCredit(after: Operation): NonNullable<DecisionProposal['credit']> {
  const shown = viewOperation(after);
  if (!shown) throw new Error('an operation under review can be shown');
  const { status, settlement_amount = zero, settlement_currency } = shown;
  return {
    amount: isTerminal(status) ? settlement_amount : zero,
    currency: settlement_currency,
    status,
  };
}

/**
 * Sends the decisions one after the other; a failure does not stop the others.
 * @returns the next page's path
 */
async function decide(
  c: ConsoleContext,
  console: Console,
  proposed: readonly DecisionProposal[],
): Promise<string> {
  const { t } = consoleView(c);
  const outcomes: CommandOutcome[] = [];
  const streams: string[] = [];
  for (const { operation, body, refused } of proposed) {
    const { operationId: id, shopId } = operation;
    const href = `/operations/${id}`;
    const request = buildPath(route, { operation_id: id });
    const failed =
      refused ??
      (await callAdminApi(c, console, { request, body }).then(
        (answer) => {
          const { settlement_currency: currency } = answer as { settlement_currency?: string };
          streams.push(
            operationStream(id),
            ledgerStream(shopId, currency ?? operation.request.currency),
          );
          return undefined;
        },
        (error: unknown) => {
          if (error instanceof Problem) return whyNot(error);
          throw error;
        },
      ));
    const decided = decisionNames[body.decision as keyof typeof decisionNames];
    const decisionText = decided ? t(decided) : body.decision;
    const text =
      failed ??
      (body.actual_amount === undefined ? decisionText : `${decisionText}: ${body.actual_amount}`);
    outcomes.push({ id, href, text, done: failed === undefined });
  }
  const done = outcomes.filter((each) => each.done).length;
  const { storeNotice } = console.sessions;
  await storeNotice(c.get('session'), {
    done: `${t(texts.recorded)}: ${done} ${t(common.of)} ${outcomes.length}`,
    events: await findWritten(console.store, { streams }, c.get('requestId')).catch(
      () => 'unread' as const,
    ),
    outcomes,
  });
  return '/review';
}
