import { common, type Words } from '#shared/application/pages/translations.ts';
import { newId } from '#shared/platform/ids.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import type { Disclosure } from '../access-log.ts';
import type { Values } from '#shared/platform/sessions/form.ts';
import { hiddenField, pairs, type Pair } from '../components.ts';
import { renderField, sayFaults, valueName, type Faults, type Field } from '../form-fields.ts';
import { formToken, type PageContent, type Trail } from '../pages.ts';
import type { SiteView } from '../site.ts';

/** What the pages of an action show of it. */
export type ActionEntry = {
  path: string;
  /** The personal data that its pages may show, by the names of the access log. */
  discloses?: readonly Disclosure[];
  title: Words;
  /** The effects of the action, and its limits. */
  explain: Words;
  /** The text of the button that does it. */
  button: Words;
  danger?: boolean;
  /** Submits without a confirmation page: required for secrets, which no other page may contain. */
  direct?: boolean;
  /** The message after its completion. */
  done: Words;
};

/** A form that can grow: its own buttons change it without submitting it. */
export type DynamicForm = {
  initial: Values;
  fields(values: Values): readonly Field[];
  /** The values after one of its own buttons; undefined if none was pressed. */
  edit(values: Values): Values | undefined;
  layout(values: Values, show: (field: Field) => Html): Html;
};

/** The object of an action, and the fields that the action needs. */
export type FormContent = {
  /** Shown above the form: which shop, which key. */
  about: readonly Pair[];
  fields?: readonly Field[];
  /** Instead of `fields`, if the fields depend on what was filled in. */
  form?: DynamicForm;
  /** Why there is nothing to do: shown instead of the form. */
  nothing?: Words;
  /** More information for the decision. */
  aside?: Html;
  /** What to know before the form is sent. */
  warnings?: Html;
  /** The object in full, below the form. */
  details?: Html;
  back: string;
  trail: Trail;
};

export const formFields = ({ fields = [], form }: FormContent, values: Values): readonly Field[] =>
  form ? form.fields(values) : fields;

export const initialValues = ({
  fields = [],
  form,
}: Pick<FormContent, 'fields' | 'form'>): Values => ({
  ...Object.fromEntries(fields.map(({ name, value = '' }) => [name, value])),
  ...form?.initial,
});

type FormInput = {
  view: SiteView;
  action: ActionEntry;
  prepared: FormContent;
  values: Values;
  /** Where the form is sent. */
  to: string;
  faults?: Faults | undefined;
  /** Shown instead of the faults. */
  explanation?: Html | undefined;
};

/** The page with an action's form. */
export function formPage(input: FormInput): PageContent {
  const { view, action, prepared, values, faults, explanation } = input;
  const { t } = view;
  const { about, warnings, aside, details, trail, nothing } = prepared;
  const wrong = faults && sayFaults(view, formFields(prepared, values), faults, values);
  return {
    title: t(action.title),
    trail,
    body: html`<div class="action">
      <div class="stack">
        <h1>${t(action.title)}</h1>
        <p class="muted measure">${t(action.explain)}</p>
        ${explanation ?? wrong ?? ''} ${about.length > 0 && pairs(about, 'pairs about')} ${warnings}
        ${nothing ? html`<div class="empty">${t(nothing)}</div>` : renderActionForm(input)}
      </div>
      ${aside && html`<div class="aside">${aside}</div>`} ${details}
    </div>`,
  };
}

function renderActionForm({ view, action, prepared, values, to, faults }: FormInput): Html {
  const { t } = view;
  const { button, danger, direct } = action;
  const { form, back } = prepared;
  const fields = formFields(prepared, values);
  const show = (field: Field): Html =>
    renderField(view, field, {
      value: values[valueName(field)] ?? '',
      faults,
      under: fields.filter(({ under }) => under === field.name).map(show),
    });
  const hasFile = fields.some(({ kind }) => kind === 'file');
  return html`<form
    class="card stack"
    method="post"
    action="${to}"
    ${hasFile && html` enctype="multipart/form-data"`}
  >
    ${formToken(view)} ${direct && hiddenField('once', newId())}
    ${form ? form.layout(values, show) : fields.filter(({ under }) => under === undefined).map(show)}
    <div class="row">
      <button class="button ${direct && danger ? 'danger' : 'primary'}" type="submit">
        ${t(direct ? button : common.proceed)}</button
      ><a class="button quiet" href="${back}">${t(common.cancel)}</a>
    </div>
  </form>`;
}
