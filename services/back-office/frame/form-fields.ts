import {
  problems,
  type FieldError,
  type Problem,
  type ProblemCode,
} from '#shared/platform/http/problems.ts';
import { html, notice, type Html } from '#shared/platform/pages/index.ts';
import { hiddenField, type View } from './components.ts';
import { explainFault } from './faults.ts';
import { refusalWords } from './refusals.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import type { Values } from '#shared/platform/sessions/form.ts';

/**
 * One field of a form; `pointer` is its place in the command's body, `/<name>` by default.
 */
export type Field = {
  name: string;
  label: Words;
  hint?: Words;
  /** `secret`: never shown again, not even to the person who typed it. */
  kind:
    | 'text'
    | 'long'
    | 'number'
    | 'choice'
    | 'radio'
    /** Fields below a common name and hint; it has no value of its own. */
    | 'group'
    | 'list'
    | 'switch'
    | 'time'
    | 'date'
    | 'file'
    | 'hidden'
    | 'secret';
  /** Which of several equal groups it belongs to; named in its faults. */
  of?: Words;
  choices?: readonly { value: string; text: string }[];
  /** The `group` that it is in, or the `radio` whose last choice requires it. */
  under?: string;
  /** How its text is split into entries, for one that is a list: names the faulty one. */
  entries?: (value: string) => readonly string[];
  /** `true`, or when it is needed all the same. */
  optional?: boolean | Words;
  pointer?: string;
  /** The first and the last date that are allowed, for a `date`. */
  between?: readonly [string, string];
  /** The accepted types, for a `file`. */
  accept?: string;
  /** The initial value. */
  value?: string;
};

export type Faults = {
  /** Why the form as a whole was refused. */
  refusal?: {
    code: ProblemCode;
    /** The detail of the API, in English. */
    detail: string | undefined;
    /** The id to quote to support, for a failure. */
    requestId: string | undefined;
  };
  errors: readonly FieldError[];
};

/** The faults of a refused form. `details`: for operators, with the details of the API. */
export function toFaults(
  { code, detail, errors }: Problem,
  { requestId, details = false }: { requestId: string; details?: boolean },
): Faults {
  if (errors) return { errors };
  const { status, title } = problems[code];
  const refusal = {
    code,
    detail: details && detail !== title ? detail : undefined,
    requestId: status >= 500 ? requestId : undefined,
  };
  return { refusal, errors: [] };
}

/** Names the file that was sent with a form, so that it need not be chosen again. */
export const heldField = 'held';

/** Where a form holds the field's value; that of a file is its name among the sent ones. */
export const valueName = ({ kind, name }: Field): string => (kind === 'file' ? heldField : name);

const texts = {
  optional: { ru: 'необязательно', en: 'optional' },
  faults: { ru: 'Исправьте ошибки', en: 'Please correct these fields' },
  choose: { ru: 'Выберите…', en: 'Choose…' },
  empty: { ru: '(пусто)', en: '(empty)' },
  held: {
    ru: 'Файл уже загружен. Выберите другой, только если его надо заменить.',
    en: 'The file is already uploaded. Choose another one only to replace it.',
  },
} as const satisfies Record<string, Words>;

/** A value that was entered, to be checked before it is confirmed. */
export function shown(
  { t, zone = 'UTC' }: View,
  { kind, choices = [] }: Field,
  value: string,
): Html | string {
  if (kind === 'secret') return '••••';
  if (kind === 'switch') return t(value === '' ? common.no : common.yes);
  const choice = choices.find((each) => each.value === value);
  if (choice) return choice.text;
  if (kind === 'time' && value !== '') return `${value.replace('T', ' ')} (${zone})`;
  return value === '' ? html`<span class="muted">${t(texts.empty)}</span>` : value;
}

const fieldPointer = ({ pointer, name }: Field): string => pointer ?? `/${name}`;

const concerns = (field: Field, pointer: string): boolean =>
  pointer === fieldPointer(field) || pointer.startsWith(`${fieldPointer(field)}/`);

function refusalText(
  { t }: Pick<View, 't'>,
  { code, detail, requestId }: NonNullable<Faults['refusal']>,
): Html {
  const reference = requestId ? html` <code>${code}</code> · <code>${requestId}</code>` : '';
  return html`<p>${t(refusalWords(code))}${reference}</p>
    ${detail !== undefined && html`<p lang="en">${detail}</p>`}`;
}

/** What of a field is faulty, where it is only a part: an entry as it was typed, or its pointer. */
function faultyPart(field: Field, pointer: string, value: string): Html | string {
  if (pointer === fieldPointer(field)) return '';
  const index = pointer.slice(fieldPointer(field).length + 1);
  return html`<code>${field.entries?.(value)[Number(index)] ?? pointer}</code>`;
}

/** The summary of all faults above the form, with a link to each field. */
export function sayFaults(
  view: Pick<View, 't'>,
  fields: readonly Field[],
  { refusal, errors }: Faults,
  values: Values = {},
): Html {
  const { t } = view;
  const fieldIndex = ({ pointer }: FieldError) =>
    fields.findIndex((each) => concerns(each, pointer));
  const inFormOrder = errors.toSorted((left, right) => fieldIndex(left) - fieldIndex(right));
  const listed = inFormOrder.map((error) => {
    const field = fields[fieldIndex(error)];
    const what = explainFault(view, error);
    const deeper = field ? faultyPart(field, error.pointer, values[valueName(field)] ?? '') : '';
    return field
      ? html`<li>
          <a href="#a-${field.name}">${field.of && `${t(field.of)}: `}${t(field.label)}</a
          >${deeper && html` ${deeper}`}: ${what}
        </li>`
      : html`<li><code>${error.pointer}</code>: ${what}</li>`;
  });
  return notice(
    'danger',
    html`<h2>${t(texts.faults)}</h2>
      ${refusal && refusalText(view, refusal)}${
        listed.length > 0 &&
        html`<ul>
          ${listed}
        </ul>`
      }`,
    { urgent: true },
  );
}

type FieldInput = {
  value: string;
  faults?: Faults | undefined;
  /** The fields under a choice. */
  under?: readonly Html[];
};

/** A labelled control with its error, which screen readers read with it. */
export function renderField(
  view: Pick<View, 't' | 'zone'>,
  declared: Field,
  { value, faults, under = [] }: FieldInput,
): Html {
  const { t, zone = 'UTC' } = view;
  const isHeld = declared.kind === 'file' && value !== '';
  const field = isHeld ? { ...declared, optional: true, hint: texts.held } : declared;
  const id = `a-${field.name}`;
  const error = faults?.errors.find(({ pointer }) => concerns(field, pointer));
  const described = [field.hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  const more = html`${described !== '' && html` aria-describedby="${described}"`}${error && html` aria-invalid="true"`}`;
  const hint = field.hint ? html`<p class="hint" id="${id}-hint">${t(field.hint)}</p>` : '';
  const part = error ? faultyPart(field, error.pointer, value) : '';
  const wrong = error
    ? html`<p class="error" id="${id}-error">
        ${part && html`${part}: `}${explainFault(view, error)}
      </p>`
    : '';
  if (field.kind === 'hidden') return hiddenField(field.name, value);
  if (field.kind === 'switch') {
    return html`<div class="field">
      <label class="check"
        ><input
          type="checkbox"
          id="${id}"
          name="${field.name}"
          value="on"
          ${value !== '' && html` checked`}${more}
        /><span>${t(field.label)}</span></label
      >${hint}${wrong}
    </div>`;
  }
  if (field.kind === 'radio' || field.kind === 'group') {
    const isChoice = field.kind === 'radio';
    const content = isChoice
      ? radioButtons(field, { id, value, under })
      : html`<div class="members">${under}</div>`;
    return html`<fieldset
      class="field ${isChoice ? 'choice' : 'group'}"
      ${described !== '' && html` aria-describedby="${described}"`}
    >
      <legend>${t(field.label)}</legend>
      ${hint}${wrong}${content}
    </fieldset>`;
  }
  const remarks = [
    field.kind === 'time' && zone,
    field.optional && t(field.optional === true ? texts.optional : field.optional),
  ].filter((remark) => remark !== false && remark !== undefined);
  return html`<div class="field">
    <label for="${id}"
      >${t(field.label)}${
        remarks.length > 0 && html` <span class="muted optional">${remarks.join(' · ')}</span>`
      }</label
    >${hint}${control(view, field, { id, value, more })}${wrong}
  </div>`;
}

/** The buttons of a choice, none of them pressed at first; the fields of the last one below. */
function radioButtons(
  { name, choices = [] }: Field,
  { id, value, under }: { id: string; value: string; under: readonly Html[] },
): Html {
  const buttons = choices.map(
    (choice, index) =>
      html`<label class="check"
        ><input
          type="radio"
          ${index === 0 && html` id="${id}"`}
          name="${name}"
          value="${choice.value}"
          required
          ${choice.value === value && html` checked`}
        /><span id="${id}-${choice.value}">${choice.text}</span></label
      >`,
  );
  if (under.length === 0) return html`${buttons}`;
  return html`${buttons}
    <div class="under" role="group" aria-labelledby="${id}-${choices.at(-1)?.value}">
      ${under}
    </div>`;
}

function control(
  { t }: Pick<View, 't'>,
  field: Field,
  { id, value, more }: { id: string; value: string; more: Html },
): Html {
  const about = html`id="${id}" name="${field.name}"${!field.optional && html` required`}${more}`;
  switch (field.kind) {
    case 'choice': {
      const { choices = [] } = field;
      // No preselected choice: a field without a value starts empty.
      const hasValue = choices.some((choice) => choice.value === value);
      return html`<select ${about}>
        ${(hasValue ? choices : [{ value: '', text: t(texts.choose) }, ...choices]).map(
          (choice) =>
            html`<option value="${choice.value}" ${choice.value === value && html` selected`}>
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
    case 'date': {
      const [first, last] = field.between ?? [];
      return html`<input
        ${about}
        value="${value}"
        type="date"
        ${first !== undefined && html` min="${first}"`}
        ${last !== undefined && html` max="${last}"`}
      />`;
    }
    case 'file':
      return html`${hiddenField(heldField, value)}<input
          ${about}
          type="file"
          ${field.accept !== undefined && html` accept="${field.accept}"`}
        />`;
    case 'long':
      return html`<textarea ${about} rows="3">${value}</textarea>`;
    case 'secret':
      return html`<input
        ${about}
        type="password"
        autocomplete="new-password"
        spellcheck="false"
      />`;
    case 'number':
      return html`<input ${about} value="${value}" inputmode="decimal" autocomplete="off" />`;
    case 'switch':
    case 'radio':
    case 'group':
    case 'hidden':
    case 'text':
      return html`<input ${about} value="${value}" autocomplete="off" />`;
  }
}
