import { dayAfter, mostDaysBack } from '#shared/application/statements/days.ts';
import { badge, html, type Html } from '#shared/platform/pages/index.ts';
import type { MissingDays } from '../../api/statements/missing.ts';
import { count } from '../../frame/components.ts';
import { action } from '../action-link.ts';
import { fetchMissingStatementsAction } from '../actions/missing-statements.ts';
import type { ConsoleView } from '../env.ts';
import { statementPath } from './paths.ts';
import { providerStatementTexts } from './texts.ts';

const accountsShown = 50;
const daysShown = 14;

/**
 * Finished days without a statement, each a link to its fetch or import. `newest`: the last of
 * them.
 */
export function renderMissingDays(
  view: ConsoleView,
  missing: readonly MissingDays[],
  newest: string,
): Html | string {
  if (missing.length === 0) return '';
  const { t } = view;
  return html`<section class="card stack missing" aria-labelledby="missing">
    <div>
      <h2 id="missing">${t(providerStatementTexts.missing)}</h2>
      <p class="muted">${t(providerStatementTexts.missingAbout)}</p>
    </div>
    <ul>
      ${missing.slice(0, accountsShown).map((each) => html`<li>${oneAccount(view, each, newest)}</li>`)}
    </ul>
    ${missing.length > accountsShown && html`<p class="muted">${t(providerStatementTexts.moreAccounts)}</p>`}
  </section>`;
}

/** The newest days one by one, their number, and how many of them are not fetched automatically. */
function oneAccount(view: ConsoleView, { days, ...of }: MissingDays, newest: string): Html {
  const { t } = view;
  const left = days.filter((day) => day <= dayAfter(newest, -mostDaysBack)).length;
  const more = days.length - daysShown;
  return html`<div class="row">
      <strong>${of.provider} / ${of.account}, ${of.currency}</strong>
      <span class="muted"
        >${t(providerStatementTexts.missingDays)}: ${count(view, days.length)}</span
      >
      ${left > 0 && badge('warning', `${t(providerStatementTexts.left)}: ${count(view, left)}`)}
      ${days.length > 1 && action(view, fetchMissingStatementsAction, { params: of, text: providerStatementTexts.askAll })}
    </div>
    <div class="days">
      ${days.slice(0, daysShown).map((day) => html`<a class="nowrap" href="${statementPath({ ...of, day })}">${day}</a> `)}
      ${more > 0 && html`<span class="muted">${t(providerStatementTexts.andMore)} ${count(view, more)}</span>`}
    </div>`;
}
