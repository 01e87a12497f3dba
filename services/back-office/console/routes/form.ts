import { currencies } from '#shared/domain/currencies.ts';
import { methodNames, methods } from '#shared/domain/methods/index.ts';
import { accountKey, type ProviderAccounts } from '#shared/domain/provider/accounts.ts';
import type { Route } from '#shared/domain/routing.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import type { Values } from '#shared/platform/sessions/form.ts';
import { operationTypes } from '#shared/domain/operation-type.ts';
import { toChoices } from '../../frame/components.ts';
import type { Field } from '../../frame/form-fields.ts';
import type { RouteTargets } from '../../api/setup/bodies.ts';
import type { DynamicForm } from '../../frame/actions/form-page.ts';
import type { ConsoleView } from '../env.ts';
import { typeNames } from '../../frame/names.ts';
import { routeHints as hints, routeTexts as texts } from './texts.ts';
import {
  readRouteCount,
  editedValues,
  environmentChoice,
  fieldName,
  maxFormRoutes,
  toFormValues,
} from './values.ts';

/**
 * The form of a shop's routes: one group of fields for each, with buttons that add and remove one.
 */
export function routesForm(
  view: ConsoleView,
  { routes, ...targets }: RouteTargets & { routes: readonly Route[] },
): DynamicForm {
  const indexes = (values: Values) =>
    Array.from({ length: readRouteCount(values) }, (_, index) => index);
  const hidden: Field[] = ['count', 'seen'].map((name) => ({
    name,
    label: texts.routes,
    kind: 'hidden',
  }));
  const listFields = (values: Values) => [
    ...hidden,
    ...indexes(values).flatMap((index) => fieldsOfRoute(view, index, targets)),
  ];
  return {
    initial: toFormValues(routes),
    fields: listFields,
    edit: editedValues,
    layout: (values, show) => {
      const fields = listFields(values);
      const own = (index: number) =>
        fields.filter(({ name }) => name.startsWith(fieldName(index, '')));
      // The button for Enter, which would otherwise press the first button that removes a route.
      return html`<button
          class="visually-hidden"
          type="submit"
          tabindex="-1"
          aria-hidden="true"
        ></button>
        ${hidden.map(show)}
        ${readRouteCount(values) === 0 && html`<p class="empty">${view.t(texts.none)}</p>`}
        ${indexes(values).map((index) => group(view, { values, index, fields: own(index).map(show) }))}
        ${
          readRouteCount(values) < maxFormRoutes &&
          html`<div class="row">
            <button class="button" type="submit" name="add" value="1" formnovalidate>
              ${view.t(texts.add)}
            </button>
          </div>`
        }`;
    },
  };
}

function group(
  { t }: ConsoleView,
  { values, index, fields }: { values: Values; index: number; fields: readonly Html[] },
): Html {
  const value = (name: string) => values[fieldName(index, name)] ?? '';
  const type = value('type');
  const name =
    type === 'payment' || type === 'payout'
      ? `${t(typeNames[type])} ${value('method')} → ${value('provider')}`
      : t(texts.unnamed);
  return html`<fieldset class="route">
    <legend>${index + 1}. ${name}</legend>
    <div class="route-fields">${fields}</div>
    <button class="button small" type="submit" name="remove" value="${index}" formnovalidate>
      ${t(texts.remove)} ${index + 1}
    </button>
  </fieldset>`;
}

type FieldOptions = Pick<Field, 'kind' | 'choices' | 'optional'>;

function fieldsOfRoute(
  { t }: ConsoleView,
  index: number,
  { providers, accounts }: RouteTargets,
): Field[] {
  const of = { ru: `Маршрут ${index + 1}`, en: `Route ${index + 1}` };
  const field = (name: keyof typeof hints, pointer: string, more: FieldOptions): Field => ({
    name: fieldName(index, name),
    label: texts[name],
    hint: hints[name],
    pointer: `/routes/${index}/${pointer}`,
    of,
    ...more,
  });
  const types = toChoices(operationTypes, (value) => t(typeNames[value]));
  const byCurrency = toChoices(methodNames, (value) => `${value} (${methods[value].currency})`);
  const noConversion = { value: '', text: t(texts.noConversion) };
  const number: FieldOptions = { kind: 'number' };
  return [
    { name: fieldName(index, 'was'), label: texts.routes, kind: 'hidden' },
    field('type', 'type', { kind: 'choice', choices: types }),
    field('method', 'method', { kind: 'choice', choices: byCurrency }),
    field('provider', 'provider', { kind: 'choice', choices: toChoices(providers) }),
    field('account', 'account', {
      kind: 'choice',
      choices: accountChoices(t(texts.environment), accounts),
    }),
    field('priority', 'priority', number),
    field('min', 'min_amount', { ...number, optional: true }),
    field('max', 'max_amount', { ...number, optional: true }),
    field('dailyCount', 'daily_count', { ...number, optional: true }),
    field('dailyAmount', 'daily_amount', { ...number, optional: true }),
    field('percent', 'commission/percent', number),
    field('fixed', 'commission/fixed', { ...number, optional: true }),
    field('receipt', 'requires_receipt', { kind: 'switch' }),
    field('settlement', 'conversion/settlement_currency', {
      kind: 'choice',
      choices: [noConversion, ...toChoices(currencies)],
      optional: true,
    }),
    field('source', 'conversion/fx_source', { kind: 'text', optional: texts.withConversion }),
    field('options', 'options', { kind: 'long', optional: true }),
  ];
}

/** One list for all providers: each account is shown with its provider. */
function accountChoices(environment: string, accounts: ProviderAccounts) {
  const open = [...accounts.values()].filter(({ removed }) => !removed);
  return [
    { value: environmentChoice, text: environment },
    ...open.map(({ provider, account, label }) => ({
      value: accountKey(provider, account),
      text: `${provider}/${account}: ${label}`,
    })),
  ];
}
