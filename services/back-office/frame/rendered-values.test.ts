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

it('a form keeps its own changes, and takes over the changes of others', () => {
  const opened = { url: 'a', enabled: 'on' };
  const sent = { url: ' a ', enabled: '', rendered: rendered(opened) };
  const merged = withCurrentValues(sent, form({ url: 'b', enabled: 'on' }));
  expect([merged['url'], merged['enabled']]).toEqual(['b', '']);
  // Another change is made while the confirmation is open.
  const later = withCurrentValues(merged, form({ url: 'c', enabled: 'on' }));
  expect([later['url'], later['enabled']]).toEqual(['c', '']);
});

it('a form without its rendered values counts every field as changed', () => {
  const sent = { url: 'a', rendered: 'no JSON' };
  expect(changedIn(sent)('url')).toBe(true);
  expect(withCurrentValues(sent, form({ url: 'b' }))).toMatchObject({ url: 'a' });
});
