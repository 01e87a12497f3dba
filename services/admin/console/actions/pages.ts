import { html, notice, type Html } from '#shared/platform/pages/index.ts';
import { json, pairs } from '../components.ts';
import type { View } from '../env.ts';
import type { Values } from '#shared/platform/sessions/form.ts';
import type { Content } from '../frame.ts';
import { common, type Words } from '../words.ts';
import { requestOf, type Action, type Faults, type Field, type Params, type Prepared } from './action.ts';
import { explainFault } from './faults.ts';

const texts = {
  goOn: { ru: 'Дальше', en: 'Continue' },
  confirm: { ru: 'Подтверждение', en: 'Confirm' },
  nothingYet: {
    ru: 'Пока ничего не изменилось. Проверьте данные и подтвердите.',
    en: 'Nothing has changed yet. Check the details, then confirm.',
  },
  change: { ru: 'Исправить', en: 'Edit' },
  sent: { ru: 'Запрос к API администратора', en: 'Request to the admin API' },
  optional: { ru: 'необязательно', en: 'optional' },
  faults: { ru: 'Исправьте ошибки', en: 'Please correct these fields' },
  empty: { ru: '(пусто)', en: '(empty)' },
  outcome: { ru: 'Результат', en: 'Result' },
  choose: { ru: 'Выберите…', en: 'Choose…' },
} as const satisfies Record<string, Words>;

type Given = { view: View; action: Action; params: Params; prepared: Prepared; values: Values };

/** Asks for what the action needs. */
export function formPage({
  view,
  action,
  prepared,
  values,
  faults,
}: Given & { faults?: Faults | undefined }): Content {
  const { t } = view;
  const { fields = [], about, aside, back, trail } = prepared;
  return {
    title: t(action.title),
    section: action.section,
    trail,
    body: html`<div class="action">
      <div class="stack">
        <h1>${t(action.title)}</h1>
        <p class="muted measure">${t(action.explain)}</p>
        ${faults ? sayFaults(view, fields, faults) : ''}
        ${about.length > 0 ? pairs(about, 'pairs about') : ''}
        <form class="card stack" method="post" action="${pathOf(view)}">
          ${formToken(view)}
          ${fields.map((field) => fieldOf(view, field, { value: values[field.name] ?? '', faults }))}
          <div class="row">
            <button class="button primary" type="submit">${t(texts.goOn)}</button
            ><a class="button quiet" href="${back}">${t(common.cancel)}</a>
          </div>
        </form>
      </div>
      ${aside ? html`<div class="aside">${aside}</div>` : ''}
    </div>`,
  };
}

/** Says what will be done; one button does it. */
export function confirmPage({
  view,
  action,
  params,
  prepared,
  values,
  id,
  body,
  outcome = [],
}: Given & { id: string; body?: unknown; outcome?: Prepared['about'] | undefined }): Content {
  const { t } = view;
  const { fields = [], about, aside, back, trail } = prepared;
  const given = fields.map((field): [string, Html | string] => [
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
        ${notice(action.danger ? 'warning' : 'info', html`<p>${t(texts.nothingYet)}</p>`)}
        <form class="card stack" method="post" action="${pathOf(view)}">
          ${formToken(view)}
          <input type="hidden" name="confirmed" value="yes" /><input
            type="hidden"
            name="once"
            value="${id}"
          />
          ${fields.map(({ name }) => html`<input type="hidden" name="${name}" value="${values[name] ?? ''}" />`)}
          ${pairs([...about, ...given], 'pairs about')}
          ${
            outcome.length > 0
              ? html`<section class="outcome stack">
                  <h2>${t(texts.outcome)}</h2>
                  ${pairs(outcome, 'pairs about')}
                </section>`
              : ''
          }
          <p class="measure">${t(action.explain)}</p>
          <div class="row">
            <button class="button ${action.danger ? 'danger' : 'primary'}" type="submit">
              ${t(action.button)}
            </button>
            ${fields.length > 0 ? html`<button class="button" type="submit" name="change" value="1">${t(texts.change)}</button>` : ''}
            <a class="button quiet" href="${back}">${t(common.cancel)}</a>
          </div>
          <details>
            <summary>${t(texts.sent)}</summary>
            <p><code>${requestOf(action.route, params)}</code></p>
            ${body === undefined ? '' : json(body, t(texts.sent))}
          </details>
        </form>
      </div>
      ${aside ? html`<div class="aside">${aside}</div>` : ''}
    </div>`,
  };
}

/** Where the form is sent: the page's own path, without what a link filled in. */
const pathOf = ({ preferences }: View): string => new URL(preferences.path, 'http://page').pathname;

export function formToken({ session }: View): Html {
  return html`<input type="hidden" name="form_token" value="${session?.formToken ?? ''}" />`;
}

function shown({ t }: View, { kind, choices = [] }: Field, value: string): Html | string {
  if (kind === 'switch') return t(value === '' ? common.no : common.yes);
  if (value === '') return html`<span class="muted">${t(texts.empty)}</span>`;
  if (kind === 'json') return html`<pre tabindex="0">${value}</pre>`;
  return choices.find((choice) => choice.value === value)?.text ?? value;
}

const pointerOf = ({ pointer, name }: Field): string => pointer ?? `/${name}`;

const concerns = (field: Field, pointer: string): boolean =>
  pointer === pointerOf(field) || pointer.startsWith(`${pointerOf(field)}/`);

/** All that is wrong, above the form, with a link to each field. */
function sayFaults(view: View, fields: readonly Field[], { text, errors }: Faults): Html {
  const { t } = view;
  const listed = errors.map((error) => {
    const field = fields.find((each) => concerns(each, error.pointer));
    const what = explainFault(view, error);
    const deeper = field && error.pointer !== pointerOf(field) ? html` <code>${error.pointer}</code>` : '';
    return field
      ? html`<li><a href="#a-${field.name}">${t(field.label)}</a>${deeper}: ${what}</li>`
      : html`<li><code>${error.pointer}</code>: ${what}</li>`;
  });
  return notice(
    'danger',
    html`<h2>${t(texts.faults)}</h2>
      ${text === '' ? '' : html`<p lang="en">${text}</p>`}${
        listed.length > 0
          ? html`<ul>
              ${listed}
            </ul>`
          : ''
      }`,
    { urgent: true },
  );
}

/** A labelled control with its error, which screen readers read with it. */
export function fieldOf(
  view: View,
  field: Field,
  { value, faults }: { value: string; faults?: Faults | undefined },
): Html {
  const { t } = view;
  const id = `a-${field.name}`;
  const error = faults?.errors.find(({ pointer }) => concerns(field, pointer));
  const described = [field.hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  const more = html`${described === '' ? '' : html` aria-describedby="${described}"`}${error ? html` aria-invalid="true"` : ''}`;
  const hint = field.hint ? html`<p class="hint" id="${id}-hint">${t(field.hint)}</p>` : '';
  const wrong = error ? html`<p class="error" id="${id}-error">${explainFault(view, error)}</p>` : '';
  if (field.kind === 'switch') {
    return html`<div class="field">
      <label class="check"
        ><input
          type="checkbox"
          id="${id}"
          name="${field.name}"
          value="on"
          ${value === '' ? '' : html` checked`}${more}
        /><span>${t(field.label)}</span></label
      >${hint}${wrong}
    </div>`;
  }
  const optional = field.optional ? html` <span class="muted optional">${t(texts.optional)}</span>` : '';
  return html`<div class="field">
    <label for="${id}">${t(field.label)}${optional}</label
    >${hint}${control(view, field, { id, value, more })}${wrong}
  </div>`;
}

function control(
  { t }: View,
  field: Field,
  { id, value, more }: { id: string; value: string; more: Html },
): Html {
  const about = html`id="${id}" name="${field.name}"${field.optional ? '' : html` required`}${more}`;
  switch (field.kind) {
    case 'choice': {
      const { choices = [] } = field;
      // No preselected choice: a field without a value starts empty.
      const isGiven = choices.some((choice) => choice.value === value);
      return html`<select ${about}>
        ${(isGiven ? choices : [{ value: '', text: t(texts.choose) }, ...choices]).map(
          (choice) =>
            html`<option value="${choice.value}" ${choice.value === value ? html` selected` : ''}>
              ${choice.text}
            </option>`,
        )}
      </select>`;
    }
    case 'list':
      return html`<input ${about} value="${value}" list="${id}-list" autocomplete="off" />
        <datalist id="${id}-list">
          ${(field.choices ?? []).map((choice) => html`<option value="${choice.value}">${choice.text}</option>`)}
        </datalist>`;
    case 'time':
      return html`<input ${about} value="${value}" type="datetime-local" step="1" />`;
    case 'long':
      return html`<textarea ${about} rows="3">${value}</textarea>`;
    case 'json':
      return html`<textarea
        ${about}
        rows="22"
        class="code"
        spellcheck="false"
        autocapitalize="off"
        autocomplete="off"
      >
${value}</textarea>`;
    case 'number':
      return html`<input ${about} value="${value}" inputmode="decimal" autocomplete="off" />`;
    case 'switch':
    case 'text':
      return html`<input ${about} value="${value}" autocomplete="off" />`;
  }
}
