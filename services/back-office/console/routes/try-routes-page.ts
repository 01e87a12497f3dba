import { currencies } from '#shared/domain/currencies.ts';
import { bankLabel, methodNames, methods } from '#shared/domain/methods/index.ts';
import type { RankedRoute } from '#shared/domain/routing.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { formatAmount, html, notice, type Html } from '#shared/platform/pages/index.ts';
import { typedAmount } from '../../frame/typed-numbers.ts';
import { readPathId, readShop } from '#shared/application/directory/command-shop.ts';
import {
  parseCandidatesQuery,
  readCandidates,
  type CandidatesQuery,
} from '../../api/setup/route-candidates.ts';
import { explainFault } from '../../frame/faults.ts';
import { toChoices, heading, input, select, renderTable } from '../../frame/components.ts';
import { operationTypes } from '#shared/domain/operation-type.ts';
import { consoleView, type Console, type ConsoleView, type ConsoleContext } from '../env.ts';
import type { PageContent } from '../../frame/pages.ts';
import { typeNames } from '../../frame/names.ts';
import { common } from '#shared/application/pages/translations.ts';
import { commissionText, routeName } from './difference.ts';
import { routeTexts, tryTexts as texts, whyNot } from './texts.ts';

type Query = Readonly<Record<string, string | undefined>>;
const fields = ['type', 'method', 'bank', 'amount', 'currency'] as const;

/** Which route an operation would take: the candidates in order, and why not the others. */
export async function tryRoutesPage(c: ConsoleContext, console: Console): Promise<PageContent> {
  const view = consoleView(c);
  const { t } = view;
  const shopId = readPathId(c.req.param('shop_id'));
  const { settings } = await readShop(console.store, shopId);
  const query: Query = Object.fromEntries(
    fields.flatMap((name) => {
      const value = c.req.query(name)?.trim();
      return value ? [[name, name === 'amount' ? typedAmount(value) : value]] : [];
    }),
  );
  let answer: Html = html``;
  let status: 200 | 400 = 200;
  try {
    const operation = c.req.query('amount') !== undefined && parseCandidatesQuery(query);
    if (operation)
      answer = result(view, await readCandidates(console, shopId, operation), operation);
  } catch (error) {
    if (!(error instanceof Problem) || !error.errors) throw error;
    const faults = error.errors.map(
      (each) => html`<li><code>${each.pointer.slice(1)}</code>: ${explainFault(view, each)}</li>`,
    );
    answer = notice(
      'danger',
      html`<ul>
        ${faults}
      </ul>`,
      { urgent: true },
    );
    status = 400;
  }
  return {
    title: t(texts.title),
    status,
    trail: [{ href: `/shops/${shopId}`, text: settings.name }],
    body: html`${heading(t(texts.title), '', t(texts.about))}${form(view, query)}${answer}`,
  };
}

function form({ t, language }: ConsoleView, query: Query): Html {
  const banks = methodNames
    .flatMap((method) => Object.keys(methods[method].banks))
    .map((code) => ({ value: code, text: `${bankLabel(language, { code })} (${code})` }));
  const types = toChoices(operationTypes, (value) => t(typeNames[value]));
  const any = { value: '', text: t(common.any) };
  const [method] = methodNames;
  return html`<form class="card filters" method="get">
    ${select({ name: 'type', label: t(common.type), value: query['type'], choices: types })}
    ${select({ name: 'method', label: t(common.method), value: query['method'] ?? method, choices: toChoices(methodNames) })}
    ${select({ name: 'bank', label: t(common.bank), value: query['bank'], choices: [any, ...banks] })}
    ${input({ name: 'amount', label: t(common.amount), value: query['amount'], placeholder: '100.00' })}
    ${select({
      name: 'currency',
      label: t(common.currency),
      value: query['currency'] ?? methods[method].currency,
      choices: toChoices(currencies),
    })}
    <button class="button primary" type="submit">${t(common.show)}</button>
  </form>`;
}

function result(
  view: ConsoleView,
  judged: readonly RankedRoute[],
  { amount, currency }: CandidatesQuery,
): Html {
  const { t, language } = view;
  const { candidates, others } = Object.groupBy(judged, ({ why }) =>
    why ? 'others' : 'candidates',
  );
  const judgedRouteName = ({ route }: RankedRoute) => routeName(language, route);
  const terms = ({ route }: RankedRoute) => [route.priority, commissionText(language, route)];
  const columns = [texts.route, { amount: routeTexts.priority }, { amount: common.commission }];
  const head = html`<h2>${t(texts.candidates)}, ${formatAmount(language, amount, currency)}</h2>`;
  return html`<section class="section">
      ${head}
      ${renderTable(view, {
        caption: t(texts.candidates),
        columns: [...columns, { amount: texts.order }],
        rows: (candidates ?? []).map((each) => [
          judgedRouteName(each),
          ...terms(each),
          each.order ?? '',
        ]),
        empty: t(texts.noProvider),
      })}
    </section>
    <section class="section">
      <h2>${t(texts.others)}</h2>
      ${renderTable(view, {
        caption: t(texts.others),
        columns: [...columns, texts.why],
        rows: (others ?? []).map((each) => [
          judgedRouteName(each),
          ...terms(each),
          each.why ? t(whyNot[each.why]) : '',
        ]),
      })}
    </section>`;
}
