import { describe, expect, it } from 'vitest';
import { readTerms, type Terms } from './terms.ts';

const where = { zone: 'Europe/Moscow', nowMs: Date.parse('2026-11-23T09:00:00Z') };
const day = { from: new Date('2026-11-21T21:00:00Z'), before: new Date('2026-11-22T21:00:00Z') };
const today = { from: new Date('2026-11-22T21:00:00Z'), before: new Date('2026-11-23T21:00:00Z') };
const around = (at: string) => ({
  from: new Date(Date.parse(at) - 900_000),
  before: new Date(Date.parse(at) + 900_000),
});

describe('search terms of a line (R16.19)', () => {
  it.each<[string, Terms[]]>([
    ['order-17', [{ text: 'order-17' }]],
    [' 5ab0c0de ', [{ text: '5ab0c0de' }]],
    ['150', [{ text: '150' }, { amount: '150.00' }]],
    ['2481', [{ text: '2481' }, { amount: '2481.00' }, { lastFour: '2481' }]],
    [
      '1500 2481',
      [
        { text: '1500 2481' },
        { amount: '1500.00', lastFour: '2481' },
        { amount: '2481.00', lastFour: '1500' },
      ],
    ],
    ['1500,50', [{ text: '1500,50' }, { amount: '1500.50' }]],
    ['₽1,500.00', [{ text: '₽1,500.00' }, { amount: '1500.00' }]],
    ['$0.50', [{ text: '$0.50' }, { amount: '0.50' }]],
    ['$1,500.00 yesterday', [{ text: '$1,500.00 yesterday' }, { amount: '1500.00', ...day }]],
    ['*4242', [{ lastFour: '4242' }]],
    ['…4242', [{ lastFour: '4242' }]],
    ['2026-11-22', [day]],
    ['22.11.2026', [day]],
    ['22.11', [{ text: '22.11' }, day, { amount: '22.11' }]],
    ['22.11.26', [day]],
    ['22 ноября', [day]],
    ['22 ноя 2026', [day]],
    ['22 November', [day]],
    ['Nov 22, 2026', [day]],
    ['вчера', [day]],
    ['Yesterday', [day]],
    ['сегодня', [today]],
    ['today', [today]],
    // A day after today is last year's.
    [
      '24 ноября',
      [{ from: new Date('2025-11-23T21:00:00Z'), before: new Date('2025-11-24T21:00:00Z') }],
    ],
    [
      '1 500 22 ноября',
      [{ text: '1 500 22 ноября' }, { amount: '1500.00', ...day }, { lastFour: '1500', ...day }],
    ],
    ['150 вчера', [{ text: '150 вчера' }, { amount: '150.00', ...day }]],
    ['22 novels', [{ text: '22 novels' }, { text: 'novels', amount: '22.00' }]],
    ['11:30', [around('2026-11-23T08:30:00Z')]],
    // A time after now is yesterday's.
    ['23:30', [around('2026-11-22T20:30:00Z')]],
    ['22.11.2026 9:05', [{ text: '22.11.2026 9:05' }, around('2026-11-22T06:05:00Z')]],
    ['1 500,00 ₽ *4242', [{ text: '1 500,00 ₽ *4242' }, { amount: '1500.00', lastFour: '4242' }]],
    [
      'Books 900 2026-11-22',
      [{ text: 'Books 900 2026-11-22' }, { text: 'Books', amount: '900.00', ...day }],
    ],
    ['order 17', [{ text: 'order 17' }, { text: 'order', amount: '17.00' }]],
    ['two words', [{ text: 'two words' }]],
    ['31.02.2026', [{ text: '31.02.2026' }]],
    ['₽', [{ text: '₽' }]],
  ])('are read from %s', (line, terms) => {
    expect(readTerms(line, where)).toEqual(terms);
  });
});
