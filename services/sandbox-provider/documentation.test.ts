import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { amountScenarios } from '#shared/application/providers/sandbox/amounts.ts';
import { optionsSchema } from './attempt/options.ts';

const page = readFileSync(new URL('../../docs/merchants/sandbox-provider.md', import.meta.url), 'utf8');

/** The cells of each row of the table whose first head is `head`. */
function tableOf(head: string): string[][] {
  const lines = page.split('\n');
  const cells = (line: string) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim());
  const from = lines.findIndex((line) => line.startsWith('|') && cells(line)[0] === head);
  const rows = lines.slice(from + 2);
  return rows.slice(0, rows.indexOf('')).map(cells);
}

it.each(['payment', 'payout'])('the page says what each amount of a %s does', (type) => {
  const scenarios = amountScenarios.filter((scenario) => scenario.type === type);
  expect(tableOf(`amount of a ${type}`)).toEqual(
    scenarios.map(({ amount, options, text, ends }) => [
      amount,
      `\`${JSON.stringify(options)}\``,
      text.en,
      `\`${ends}\``,
    ]),
  );
});

it('the page names every option', () => {
  const named = tableOf('option')
    .map(([option]) => option)
    .join(' ');
  for (const option of Object.keys(optionsSchema.shape)) expect(named).toContain(`${option}:`);
});
