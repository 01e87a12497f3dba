import { z } from 'zod';
import { trimmedValue, type Values } from '#shared/platform/sessions/form.ts';
import type { Field } from './form-fields.ts';

const fieldName = 'rendered';
const valuesSchema = z.record(z.string(), z.string());

/** The values with which a form was rendered, so that saving it does not undo others' changes. */
export const renderedValues = (fields: readonly Field[]): Field => ({
  name: fieldName,
  label: { ru: '', en: '' },
  kind: 'hidden',
  value: JSON.stringify(Object.fromEntries(fields.map(({ name, value = '' }) => [name, value]))),
});

/** Undefined where the form holds none. */
function renderedIn(values: Values): Values | undefined {
  try {
    return valuesSchema.safeParse(JSON.parse(values[fieldName] ?? '')).data;
  } catch {
    return undefined;
  }
}

/** Which fields were changed in a form; all of them, if it has no rendered values. */
export function changedIn(values: Values): (name: string) => boolean {
  const rendered = renderedIn(values);
  return (name) =>
    rendered === undefined || trimmedValue(values, name) !== trimmedValue(rendered, name);
}

/**
 * For a command that takes all fields: the values of a form, with the current value of each field
 * that was not changed in it. `fields` have the current values.
 */
export function withCurrentValues(values: Values, fields: readonly Field[]): Values {
  const isChanged = changedIn(values);
  const current = fields.filter(({ name }) => name === fieldName || !isChanged(name));
  return { ...values, ...Object.fromEntries(current.map(({ name, value = '' }) => [name, value])) };
}

/** Only the settings that were changed in a form. */
export function changesOnly<Settings extends object>(
  values: Values,
  read: (values: Values) => Settings,
): Partial<Settings> {
  const rendered = renderedIn(values);
  if (rendered === undefined) return read(values);
  const before = new Map(Object.entries(read(rendered)));
  const changed = Object.entries(read(values)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before.get(name)),
  );
  return Object.fromEntries(changed) as Partial<Settings>;
}
