import { common, type Words } from '#shared/application/pages/translations.ts';
import { currencies } from '#shared/domain/currencies.ts';
import type { ShopSettings } from '#shared/domain/shop/events.ts';
import { eachSetting, viewSettings } from '#shared/domain/shop/settings/derive.ts';
import type { SettingEntry } from '#shared/domain/shop/settings/entry.ts';
import { formValue, trimmedValue, type Values } from '#shared/platform/sessions/form.ts';
import type { Field } from '../../frame/form-fields.ts';
import { typedAmount } from '../../frame/typed-numbers.ts';
import { numberOrText } from '../actions/shop.ts';
import type { ConsoleView } from '../env.ts';

/** The form of a shop's settings, by the kind of each. */

type FormView = Pick<ConsoleView, 't' | 'session'>;
type Current = { value: unknown; isNew: boolean };

/** The fields of a new shop, or of one with these settings: those that the user may change. */
export function settingFields(view: FormView, settings?: ShopSettings): Field[] {
  const values = viewSettings(settings ?? {});
  const isNew = settings === undefined;
  const role = view.session?.holder.role;
  return eachSetting
    .filter(([, { changedBy }]) => isNew || (role !== undefined && changedBy.includes(role)))
    .flatMap(([name, entry]) => renderFields(view, name, { entry, value: values[name], isNew }));
}

/** The settings in a form, as the body of a command has them. */
export const settingsInForm = (values: Values): Record<string, unknown> =>
  Object.fromEntries(eachSetting.map(([name, entry]) => [name, readValue(values, name, entry)]));

const memberName = (setting: string, member: string) => `${setting}_${member}`;

function renderFields(
  { t }: FormView,
  name: string,
  { entry, value, isNew }: Current & { entry: SettingEntry },
): Field[] {
  const { label, form } = entry;
  const field = { name, label: form?.label ?? label, ...(form?.hint && { hint: form.hint }) };
  const members = (names: readonly string[], toField: (member: string) => Partial<Field>) =>
    names.map((member): Field => {
      const pointer = `/${name}/${member}`;
      const own = { name: memberName(name, member), under: name, label, pointer };
      return { ...own, kind: 'number', ...toField(member) };
    });
  switch (entry.kind) {
    case 'name':
      return [{ ...field, kind: 'text', value: toText(value) }];
    case 'switch':
      return [{ ...field, kind: 'switch', value: value === true ? 'on' : '' }];
    case 'text':
    case 'url':
      return [{ ...field, kind: 'text', optional: true, value: toText(value) }];
    case 'limits': {
      const unlimited = t(common.unlimited);
      const limits = value as Readonly<Record<string, string>>;
      const fields = members(currencies, (currency) => ({
        label: labelIn(entry.each, currency),
        kind: 'list',
        choices: [{ value: unlimited, text: unlimited }],
        // No default: the operator who creates a shop decides on each limit.
        value: isNew ? '' : (limits[currency] ?? unlimited),
      }));
      return [{ ...field, kind: 'group' }, ...fields];
    }
    case 'numbers': {
      const numbers = value as Readonly<Record<string, number>>;
      const fields = members(Object.keys(entry.members), (member) => ({
        label: entry.members[member]?.label ?? label,
        value: String(numbers[member]),
      }));
      return [{ ...field, kind: 'group' }, ...fields];
    }
  }
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

const labelIn = ({ ru, en }: Words, currency: string): Words => ({
  ru: `${ru}, ${currency}`,
  en: `${en}, ${currency}`,
});

function readValue(values: Values, name: string, entry: SettingEntry): unknown {
  switch (entry.kind) {
    case 'name':
      return trimmedValue(values, name);
    case 'switch':
      return formValue(values, name) !== undefined;
    case 'text':
    case 'url':
      return formValue(values, name) ?? null;
    case 'limits':
      return readLimits(values, name);
    case 'numbers':
      return Object.fromEntries(
        Object.keys(entry.members).map((member) => [
          member,
          numberOrText(formValue(values, memberName(name, member))),
        ]),
      );
  }
}

/** `Unlimited` is a choice; an empty field is left for the API to refuse. */
function readLimits(values: Values, name: string): Record<string, string> {
  const entered = currencies.map(
    (currency) => [currency, trimmedValue(values, memberName(name, currency))] as const,
  );
  return Object.fromEntries(
    entered
      .filter(([, text]) => !isUnlimited(text))
      .map(([currency, text]) => [currency, typedAmount(text)]),
  );
}

const isUnlimited = (text: string): boolean =>
  Object.values(common.unlimited).some((name) => name.toLowerCase() === text.toLowerCase());
