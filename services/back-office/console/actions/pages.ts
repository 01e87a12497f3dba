import { fieldsOf, type Prepared } from '../../frame/actions/form-page.ts';
import { shown, valueName } from '../../frame/form-fields.ts';
import { newId } from '#shared/platform/ids.ts';
import { html, notice } from '#shared/platform/pages/index.ts';
import { hiddenField, json, pairs, type Pair } from '../../frame/components.ts';
import type { View } from '../env.ts';
import type { Values } from '#shared/platform/sessions/form.ts';
import type { Content } from '../frame.ts';
import { formToken } from '../../frame/pages.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { changedIn } from '../../frame/rendered-values.ts';
import { requestOf, type Action, type Params } from './action.ts';

const texts = {
  change: { ru: 'Исправить', en: 'Edit' },
  sent: { ru: 'Запрос к API администратора', en: 'Request to the admin API' },
  outcome: { ru: 'Результат', en: 'Result' },
} as const satisfies Record<string, Words>;

type PageInput = { view: View; action: Action; params: Params; prepared: Prepared; values: Values };

/** The page that shows what will be done, with a confirming button. */
export function confirmPage(
  input: PageInput & { body?: unknown; outcome?: Prepared['about'] | undefined },
): Content {
  const { view, action, params, prepared, values, body, outcome = [] } = input;
  const { t } = view;
  const { about, aside, back, trail, form } = prepared;
  const fields = fieldsOf(prepared, values);
  // A form that can grow is summarised by its outcome, and a file by what is read from it; a hidden
  // field without a label is no input of the operator.
  const visible = fields.filter(
    ({ kind, label }) => kind !== 'file' && (kind !== 'hidden' || label.en !== ''),
  );
  const isChanged = changedIn(values);
  const changed = visible.filter(({ name }) => isChanged(name));
  const typedPairs = (form ? [] : changed).map((field): Pair => [
    t(field.label),
    shown(view, field, values[field.name] ?? ''),
  ]);
  return {
    title: t(action.title),
    section: action.section,
    trail,
    body: html`<div class="action">
      <div class="stack">
        <h1>${t(action.title)}</h1>
        ${notice(action.danger ? 'warning' : 'info', html`<p>${t(common.nothingYet)}</p>`)}
        <form class="card stack" method="post" action="${pathOf(view)}">
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
            <p><code>${requestOf(action.route, params, action.request?.(values).query)}</code></p>
            ${body !== undefined && json(body, t(texts.sent))}
          </details>
        </form>
      </div>
      ${aside && html`<div class="aside">${aside}</div>`}
    </div>`,
  };
}

/** Where the form is sent: the page's own path, without what a link filled in. */
export const pathOf = ({ preferences }: View): string =>
  new URL(preferences.path, 'http://page').pathname;
