import { z } from 'zod';
import type { Values } from '#shared/platform/sessions/form.ts';
import type { Field } from '../../frame/form-fields.ts';
import { valueOf } from './shop.ts';

const fieldName = 'rendered';
const valuesSchema = z.record(z.string(), z.string());

/** The values with which a form was rendered: saving it must not undo another operator's change. */
export const renderedValues = (fields: readonly Field[]): Field => ({
  name: fieldName,
  label: { ru: '', en: '' },
  kind: 'hidden',
  value: JSON.stringify(Object.fromEntries(fields.map(({ name, value = '' }) => [name, value]))),
});

/** Undefined where the form holds none. */
function renderedIn(values: Values): Values | undefined {
  const text = valueOf(values, fieldName);
  if (text === undefined) return undefined;
  try {
    return valuesSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Whether the operator changed a field; each has changed where a form holds no rendered values. */
export function isChanged(values: Values, name: string): boolean {
  const rendered = renderedIn(values);
  return rendered === undefined || valueOf(values, name) !== valueOf(rendered, name);
}

/** What a form means, without what it meant as rendered. */
export function changesOnly<Meaning extends object>(
  values: Values,
  read: (values: Values) => Meaning,
): Partial<Meaning> {
  const rendered = renderedIn(values);
  if (rendered === undefined) return read(values);
  const before = new Map(Object.entries(read(rendered)));
  const changed = Object.entries(read(values)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before.get(name)),
  );
  return Object.fromEntries(changed) as Partial<Meaning>;
}
