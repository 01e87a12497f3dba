import { expect, it } from 'vitest';
import { renderToText } from '#shared/platform/pages/index.ts';
import { contactLinks } from './contact-links.ts';

const links = (text: string) =>
  [...renderToText(contactLinks(text)).matchAll(/<a href="([^"]*)"\s*>([^<]*)<\/a\s*>/g)].map(
    ([, href, shown]) => [href, shown],
  );

it.each([
  [
    '+44 20 7946 0000, help@tea.example',
    [
      ['tel:+442079460000', '+44 20 7946 0000'],
      ['mailto:help@tea.example', 'help@tea.example'],
    ],
  ],
  ['8 (800) 555-35-35, 9:00–21:00', [['tel:88005553535', '8 (800) 555-35-35']]],
  ['Звоните: +7 945 123-45-67 9–21', [['tel:+79451234567', '+7 945 123-45-67']]],
  ['помощь@магазин.рф.', [['mailto:помощь@магазин.рф', 'помощь@магазин.рф']]],
  ['020 7946 0000', [['tel:02079460000', '020 7946 0000']]],
])('numbers and addresses in %s are links', (text, found) => {
  expect(links(text)).toEqual(found);
});

it.each(['Order 2026-01-31', '24/7', 'chat @tea', '12345678901234', 'c/o 8 Tea Street'])(
  '%s has none',
  (text) => {
    expect(links(text)).toEqual([]);
  },
);

it('the rest of the text is escaped', () => {
  const text = renderToText(contactLinks('<b>"help@tea.example"</b>'));
  expect(text).toContain('&lt;b&gt;&quot;<a href="mailto:help@tea.example"');
  expect(text).not.toContain('<b>');
});
