import { common, type Words } from '#shared/application/pages/translations.ts';
import { newId } from '#shared/platform/ids.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import type { Values } from '#shared/platform/sessions/form.ts';
import { hiddenField, pairs, type Pair } from '../components.ts';
import { fieldOf, sayFaults, valueName, type Faults, type Field } from '../form-fields.ts';
import { formToken, type Content, type Trail } from '../pages.ts';
import type { SiteView } from '../site.ts';

/** What the pages of an action show of it. */
export type ActionTexts<Section extends string> = {
  section: Section;
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
export type Form = {
  initial: Values;
  fields(values: Values): readonly Field[];
  /** The values after one of its own buttons; undefined if none was pressed. */
  edit(values: Values): Values | undefined;
  layout(values: Values, show: (field: Field) => Html): Html;
};

/** The object of an action, and the fields that the action asks for. */
export type Prepared = {
  /** Shown above the form: which shop, which key. */
  about: readonly Pair[];
  fields?: readonly Field[];
  /** Instead of `fields`, if the fields depend on what was filled in. */
  form?: Form;
  /** Why there is nothing to do: shown instead of the form. */
  nothing?: Words;
  /** More information for the decision. */
  aside?: Html;
  back: string;
  trail: Trail;
};

export const fieldsOf = ({ fields = [], form }: Prepared, values: Values): readonly Field[] =>
  form ? form.fields(values) : fields;

export const initialValues = ({
  fields = [],
  form,
}: Pick<Prepared, 'fields' | 'form'>): Values => ({
  ...Object.fromEntries(fields.map(({ name, value = '' }) => [name, value])),
  ...form?.initial,
});

type FormInput<Section extends string> = {
  view: SiteView;
  action: ActionTexts<Section>;
  prepared: Prepared;
  values: Values;
  /** Where the form is sent. */
  to: string;
  faults?: Faults | undefined;
  /** Shown instead of the faults. */
  explanation?: Html | undefined;
};

/** The page with an action's form. */
export function formPage<Section extends string>(input: FormInput<Section>): Content<Section> {
  const { view, action, prepared, values, faults, explanation } = input;
  const { t } = view;
  const { about, aside, trail, nothing } = prepared;
  const wrong = faults && sayFaults(view, fieldsOf(prepared, values), faults);
  return {
    title: t(action.title),
    section: action.section,
    trail,
    body: html`<div class="action">
      <div class="stack">
        <h1>${t(action.title)}</h1>
        <p class="muted measure">${t(action.explain)}</p>
        ${explanation ?? wrong ?? ''} ${about.length > 0 && pairs(about, 'pairs about')}
        ${nothing ? html`<div class="empty">${t(nothing)}</div>` : formOf(input)}
      </div>
      ${aside && html`<div class="aside">${aside}</div>`}
    </div>`,
  };
}

function formOf({ view, action, prepared, values, to, faults }: FormInput<string>): Html {
  const { t } = view;
  const { button, danger, direct } = action;
  const { form, back } = prepared;
  const fields = fieldsOf(prepared, values);
  const show = (field: Field) =>
    fieldOf(view, field, { value: values[valueName(field)] ?? '', faults });
  const hasFile = fields.some(({ kind }) => kind === 'file');
  return html`<form
    class="card stack"
    method="post"
    action="${to}"
    ${hasFile && html` enctype="multipart/form-data"`}
  >
    ${formToken(view)} ${direct && hiddenField('once', newId())}
    ${form ? form.layout(values, show) : fields.map(show)}
    <div class="row">
      <button class="button ${direct && danger ? 'danger' : 'primary'}" type="submit">
        ${t(direct ? button : common.proceed)}</button
      ><a class="button quiet" href="${back}">${t(common.cancel)}</a>
    </div>
  </form>`;
}
