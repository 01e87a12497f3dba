import { sum } from '#shared/domain/money.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { badge, formatAmount, html, notice, type Html } from '#shared/platform/pages/index.ts';
import type { Values } from '#shared/platform/sessions/form.ts';
import { renderField } from '../../frame/form-fields.ts';
import { formToken, type PageContent } from '../../frame/pages.ts';
import { decisionNames, decisionsFor, reviewFields } from '../actions/review.ts';
import { toChoices, hiddenField, pairs, shortId, renderTable } from '../../frame/components.ts';
import type { ConsoleView } from '../env.ts';
import { statusBadge } from '../../frame/names.ts';
import { common } from '#shared/application/pages/translations.ts';
import { severalTexts as texts } from './bulk-review-texts.ts';

/** One of the chosen operations: the request to the API, and its effect. */
export type DecisionProposal = {
  operation: Operation;
  body: Record<'decision' | 'note', string> &
    Record<'actual_amount' | 'receipt_id', string | undefined>;
  /** Why the API would refuse it now. */
  refused?: string;
  /** What the shop would be credited. */
  credit?: { amount: string; currency: string; status: Operation['status'] };
};

const path = '/review/several';
const amountName = ({ operationId }: Operation) => `amount_${operationId}`;

/** Which receipt of it was waiting when the form was opened. */
export const receiptName = ({ operationId }: Operation) => `receipt_${operationId}`;

const reviewedReceipt = (operation: Operation, values: Values): string =>
  values[receiptName(operation)] ?? operation.receiptUnderReview ?? '';

/** A link to the receipt being decided on: the queue may have shown an earlier one. */
function receiptLink({ t }: ConsoleView, operation: Operation, values: Values): Html | string {
  const receiptId = reviewedReceipt(operation, values);
  if (receiptId === '') return '';
  const href = `/operations/${operation.operationId}/receipts/${encodeURIComponent(receiptId)}`;
  return html`<a href="${href}" target="_blank" rel="noopener">${t(common.receipt)}</a>`;
}

const content = ({ t }: ConsoleView, body: Html): PageContent => ({
  title: t(texts.title),
  body: html`<h1>${t(texts.title)}</h1>
    ${body}`,
});

/** Has one decision and, for each receipt, its amount. */
export function formOfSeveral(
  view: ConsoleView,
  { chosen, values }: { chosen: readonly Operation[]; values: Values },
): PageContent {
  const { t, language } = view;
  if (chosen.length === 0) return content(view, html`<div class="empty">${t(texts.none)}</div>`);
  const decisions = decisionsFor('not_terminal').filter((each) =>
    chosen.every(({ manualCheckReason }) => decisionsFor(manualCheckReason).includes(each)),
  );
  const [decision, , note] = reviewFields(toChoices(decisions, (each) => t(decisionNames[each])));
  const fields = [decision, note].flatMap((field) => field ?? []);
  return content(
    view,
    html`<p class="muted measure">${t(texts.about)}</p>
      <form class="card stack" method="post" action="${path}">
        ${formToken(view)}${hiddenField('operations', joinIds(chosen))}
        ${chosen.map((each) => hiddenField(receiptName(each), reviewedReceipt(each, values)))}
        ${fields.map((field) => renderField(view, field, { value: values[field.name] ?? '' }))}
        ${renderTable(view, {
          caption: t(texts.title),
          columns: [common.operationId, { amount: common.expected }, texts.amount],
          rows: chosen.map((each) => [
            html`${shortId(each.operationId, `/review?operation=${each.operationId}`)}
            ${receiptLink(view, each, values)}`,
            formatAmount(language, each.request.amount, each.request.currency),
            html`<input
              name="${amountName(each)}"
              value="${values[amountName(each)] ?? ''}"
              inputmode="decimal"
              autocomplete="off"
              aria-label="${t(texts.amount)}, ${each.operationId}"
            />`,
          ]),
        })}
        <label class="check"
          ><input
            type="checkbox"
            name="as_expected"
            ${values['as_expected'] !== undefined && html` checked`}
          /><span>${t(texts.asExpected)}</span></label
        >
        <div class="row">
          <button class="button primary" type="submit">${t(common.proceed)}</button
          ><a class="button quiet" href="/review">${t(common.cancel)}</a>
        </div>
      </form>`,
  );
}

/** Shows the effect of each decision, and the total credit; one button sends them. */
export function confirmSeveral(
  view: ConsoleView,
  { proposed, values, id }: { proposed: readonly DecisionProposal[]; values: Values; id: string },
): PageContent {
  const { t } = view;
  const able = proposed.filter(({ refused }) => refused === undefined);
  const some = able.length < proposed.length;
  const decision = decisionNames[values['decision'] as keyof typeof decisionNames];
  return content(
    view,
    html`${notice('warning', html`<p>${t(common.nothingYet)}</p>`)}
      ${some && notice('danger', html`<p>${t(texts.refused)}</p>`)}
      <form class="card stack" method="post" action="${path}">
        ${formToken(view)}${hiddenField('confirmed', 'yes')}${hiddenField('once', id)}
        ${hiddenField('operations', joinIds(proposed.map(({ operation }) => operation)))}
        ${hiddenInputs(values, proposed)}
        ${pairs(
          [
            [t(common.decision), decision ? t(decision) : ''],
            [t(common.note), values['note'] ?? ''],
            [t(texts.sum), html`<strong class="figure-large">${sums(view, able)}</strong>`],
          ],
          'pairs about',
        )}
        ${proposedTable(view, proposed)}
        <p class="measure">${t(texts.about)}</p>
        <div class="row">
          ${able.length > 0 && html`<button class="button danger" type="submit">${t(texts.confirm)} ${able.length}</button>`}
          <button class="button" type="submit" name="change" value="1">${t(texts.change)}</button
          ><a class="button quiet" href="/review">${t(common.cancel)}</a>
        </div>
      </form>`,
  );
}

const joinIds = (chosen: readonly Operation[]): string =>
  chosen.map(({ operationId }) => operationId).join(',');

/** The entered values, for the request that is confirmed. */
function hiddenInputs(values: Values, proposed: readonly DecisionProposal[]): Html {
  const names = [
    'decision',
    'note',
    'as_expected',
    ...proposed.flatMap(({ operation }) => [amountName(operation), receiptName(operation)]),
  ];
  const inputs = names.map((name) => {
    const value = values[name];
    return value === undefined ? '' : hiddenField(name, value);
  });
  return html`${inputs}`;
}

/** The total credit in each currency. */
function sums({ t, language }: ConsoleView, able: readonly DecisionProposal[]): string {
  const credits = able.flatMap(({ credit }) => credit ?? []);
  const inEach = [...new Set(credits.map(({ currency }) => currency))].map((currency) => {
    const amounts = credits
      .filter((credit) => credit.currency === currency)
      .map(({ amount }) => amount);
    return formatAmount(language, sum(amounts), currency);
  });
  return inEach.length === 0 ? t(texts.nothing) : inEach.join(' + ');
}

function proposedTable(view: ConsoleView, proposed: readonly DecisionProposal[]): Html {
  const { t, language } = view;
  return renderTable(view, {
    caption: t(texts.title),
    columns: [
      common.operationId,
      { amount: common.expected },
      { amount: texts.amount },
      { amount: texts.credited },
      texts.becomes,
    ],
    rows: proposed.map(({ operation: { operationId, request }, body, refused, credit }) => [
      shortId(operationId, `/review?operation=${operationId}`),
      formatAmount(language, request.amount, request.currency),
      body.actual_amount === undefined
        ? '—'
        : formatAmount(language, body.actual_amount, request.currency),
      credit ? formatAmount(language, credit.amount, credit.currency) : '—',
      credit ? statusBadge(view, credit.status) : html`${badge('danger', refused ?? '')}`,
    ]),
  });
}
