import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { amountScenarios } from '#shared/application/providers/sandbox/amounts.ts';
import { optionsSchema } from './attempt/options.ts';
import { behaviourSchema } from './bank/behaviour.ts';

const pageOf = (name: string) =>
  readFileSync(new URL(`../../docs/merchants/${name}.md`, import.meta.url), 'utf8');
const page = pageOf('sandbox-provider');

const itemsAfter = (intro: string): string[] => {
  const [, list = ''] = page.split(`\n${intro}\n\n`);
  return (list.split('\n\n', 1)[0] ?? '')
    .split(/^- /m)
    .slice(1)
    .map((item) => item.replaceAll(/\s+/g, ' ').trim());
};

it.each(['payment', 'payout'])('the page says what each amount of a %s does', (type) => {
  const scenarios = amountScenarios.filter((scenario) => scenario.type === type);
  expect(scenarios).not.toEqual([]);
  expect(itemsAfter(`For a ${type}:`)).toEqual(
    scenarios.map(
      ({ amount, options, text, ends }) =>
        `${amount}, as with \`${JSON.stringify(options)}\`: ${text.en} In the end: \`${ends}\``,
    ),
  );
});

it('the page names every option', () => {
  const named = itemsAfter('The options:').join('\n');
  for (const option of Object.keys(optionsSchema.shape)) expect(named).toContain(`${option}:`);
});

it('the page of the bank names every way in which it behaves', () => {
  const bank = pageOf('sandbox-bank');
  for (const name of Object.keys(behaviourSchema.shape)) expect(bank).toContain(`\`${name}\``);
});
