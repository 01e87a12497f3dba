import { formFields, type FormContent } from '../../frame/actions/form-page.ts';
import { shown, valueName, type Field } from '../../frame/form-fields.ts';
import { newId } from '#shared/platform/ids.ts';
import { html, notice, type Html } from '#shared/platform/pages/index.ts';
import { hiddenField, json, pairs, type Pair } from '../../frame/components.ts';
import type { ConsoleView } from '../env.ts';
import type { Values } from '#shared/platform/sessions/form.ts';
import { formToken, type PageContent } from '../../frame/pages.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { changedIn } from '../../frame/rendered-values.ts';
import { buildPath, type Action, type Params } from './action.ts';

const texts = {
  change: { ru: 'Исправить', en: 'Edit' },
  sent: { ru: 'Запрос к API администратора', en: 'Request to the admin API' },
  outcome: { ru: 'Результат', en: 'Result' },
} as const satisfies Record<string, Words>;

type PageInput = {
  view: ConsoleView;
  action: Action;
  params: Params;
  prepared: FormContent;
  values: Values;
};

/** The page that shows what will be done, with a confirming button. */
export function confirmPage(
  input: PageInput & { body?: unknown; outcome?: FormContent['about'] | undefined },
): PageContent {
  const { view, action, params, prepared, values, body, outcome = [] } = input;
  const { t } = view;
  const { about, aside, back, trail, form } = prepared;
  const fields = formFields(prepared, values);
  // A form that can grow is summarised by its outcome, and a file by what is read from it; a hidden
  // field without a label is no input of the operator.
  const visible = fields.filter(
    ({ kind, label }) => kind !== 'file' && (kind !== 'hidden' || label.en !== ''),
  );
  const isChanged = changedIn(values);
  const boxesUnder = ({ kind, name }: Field) =>
    kind === 'radio' ? fields.filter(({ under }) => under === name) : [];
  const boxes = fields.flatMap(boxesUnder);
  const changed = visible.filter(
    (field) =>
      field.kind !== 'group' &&
      !boxes.includes(field) &&
      [field, ...boxesUnder(field)].some(({ name }) => isChanged(name)),
  );
  const typedPairs = (form ? [] : changed).map((field): Pair => [
    t(field.label),
    shownWith(view, field, { values, under: boxesUnder(field) }),
  ]);
  return {
    title: t(action.title),
    trail,
    body: html`<div class="action">
      <div class="stack">
        <h1>${t(action.title)}</h1>
        ${notice(action.danger ? 'warning' : 'info', html`<p>${t(common.nothingYet)}</p>`)}
        <form class="card stack" method="post" action="${formPath(view)}">
          ${formToken(view)} ${hiddenField('confirmed', 'yes')}${hiddenField('once', newId())}
          ${fields.map(valueName).map((name) => hiddenField(name, values[name] ?? ''))}
          ${pairs([...about, ...typedPairs], 'pairs about')}
          ${
            outcome.length > 0 &&
            html`<section class="outcome stack">
              <h2>${t(texts.outcome)}</h2>
              ${pairs(outcome, 'pairs about')}
            </section>`
          }
          <p class="measure">${t(action.explain)}</p>
          <div class="row">
            <button class="button ${action.danger ? 'danger' : 'primary'}" type="submit">
              ${t(action.button)}
            </button>
            ${fields.length > 0 && html`<button class="button" type="submit" name="change" value="1">${t(texts.change)}</button>`}
            <a class="button quiet" href="${back}">${t(common.cancel)}</a>
          </div>
          <details>
            <summary>${t(texts.sent)}</summary>
            <p>
              <code>${buildPath(action.route, params, action.request?.(values).query)}</code>
            </p>
            ${body !== undefined && json(body, t(texts.sent))}
          </details>
        </form>
      </div>
      ${aside && html`<div class="aside">${aside}</div>`}
    </div>`,
  };
}

/** A value with the boxes below it that are checked. */
function shownWith(
  view: ConsoleView,
  field: Field,
  { values, under }: { values: Values; under: readonly Field[] },
): Html | string {
  const value = values[field.name] ?? '';
  const text = shown(view, field, value);
  const isOpen = value === field.choices?.at(-1)?.value;
  const checked = under.filter(({ name }) => isOpen && Boolean(values[name]));
  return checked.length === 0
    ? text
    : html`${text}: ${checked.map(({ label }) => view.t(label)).join('; ')}`;
}

/** Where the form is sent: the page's own path, without what a link filled in. */
export const formPath = ({ preferences }: ConsoleView): string =>
  new URL(preferences.path, 'http://page').pathname;
