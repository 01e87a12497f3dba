import { expect, it } from 'vitest';
import type { Field } from './form-fields.ts';
import { changedIn, renderedValues, withCurrentValues } from './rendered-values.ts';

const form = (values: Readonly<Record<string, string>>) => {
  const fields = Object.entries(values).map(([name, value]): Field => ({
    name,
    label: { ru: name, en: name },
    kind: 'text',
    value,
  }));
  return [...fields, renderedValues(fields)];
};
const rendered = (values: Readonly<Record<string, string>>) =>
  renderedValues(form(values)).value ?? '';

it('a form keeps what was changed in it, and follows the changes of others', () => {
  const opened = { url: 'a', enabled: 'on' };
  const sent = { url: ' a ', enabled: '', rendered: rendered(opened) };
  const merged = withCurrentValues(sent, form({ url: 'b', enabled: 'on' }));
  expect([merged['url'], merged['enabled']]).toEqual(['b', '']);
  // Between the confirmation and its button another change was made.
  const later = withCurrentValues(merged, form({ url: 'c', enabled: 'on' }));
  expect([later['url'], later['enabled']]).toEqual(['c', '']);
});

it('a form without the values that it was rendered with has changed each field', () => {
  const sent = { url: 'a', rendered: 'no JSON' };
  expect(changedIn(sent)('url')).toBe(true);
  expect(withCurrentValues(sent, form({ url: 'b' }))).toMatchObject({ url: 'a' });
});
