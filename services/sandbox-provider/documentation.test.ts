import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { optionsSchema } from './attempt/options.ts';
import { behaviourSchema } from './bank/behaviour.ts';

const pageOf = (name: string) =>
  readFileSync(new URL(`../../docs/merchants/${name}.md`, import.meta.url), 'utf8');

it('the page names every option', () => {
  const page = pageOf('sandbox-provider');
  for (const option of Object.keys(optionsSchema.shape)) expect(page).toContain(`- \`${option}:`);
});

it('the page of the bank names every way in which it behaves', () => {
  const bank = pageOf('sandbox-bank');
  for (const name of Object.keys(behaviourSchema.shape)) expect(bank).toContain(`\`${name}\``);
});
