import { expect, it } from 'vitest';
import { markdownTable, paddedMarkdownTable, textTable } from './tables.ts';

const head = ['what', 'n'];
const rows = [
  ['a', '100'],
  ['longer', '2'],
];

it('a table for a terminal has figures on the right', () => {
  expect(textTable([head, ...rows])).toBe('what      n\na       100\nlonger    2');
});

it('a table for a page is as narrow as it can be, and a bar does not end a cell', () => {
  expect(markdownTable(head, [['a|b', '1'], ['c']])).toBe(
    '| what | n |\n| --- | --- |\n| a\\|b | 1 |\n| c |  |',
  );
});

it('a table to read as it is has columns of one width', () => {
  expect(paddedMarkdownTable(head, rows, 'figures').split('\n')).toEqual([
    '| what   |   n |',
    '| ------ | --: |',
    '| a      | 100 |',
    '| longer |   2 |',
  ]);
  expect(paddedMarkdownTable(head, rows, 'texts').split('\n')).toEqual([
    '| what   | n   |',
    '| ------ | --- |',
    '| a      | 100 |',
    '| longer | 2   |',
  ]);
});
