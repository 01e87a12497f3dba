import type { ClientBase } from 'pg';
import { expect, it } from 'vitest';
import { prepareStatements } from './prepared-statements.ts';

type Asked = { name?: string; text: string };

function client() {
  const asked: Asked[] = [];
  const fake = {
    query: (query: string | Asked) =>
      void asked.push(typeof query === 'string' ? { text: query } : query),
  };
  prepareStatements(fake as unknown as ClientBase);
  return { asked, query: fake.query as (text: string, values?: unknown[]) => void };
}

it('names a statement by what it does, the same on every connection', () => {
  const text = 'with one as (\n  select 1)\n  update table_a   set x = $1';
  const [first, second] = [client(), client()];
  first.query(text, [1]);
  first.query(text, [2]);
  second.query(text, [3]);
  const [name] = first.asked.map((asked) => asked.name);
  expect(name).toMatch(/^\d+ update table_a set x = \$1$/);
  expect([...first.asked, ...second.asked].map((asked) => asked.name)).toEqual([name, name, name]);
});

it('tells a change from a lock', () => {
  const { asked, query } = client();
  query('with picked as (select 1 for update skip locked) update table_a set x = $1', [1]);
  query('with picked as (select 1 for no key update) insert into table_b values ($1)', [1]);
  const names = asked.map(({ name = '' }) => name.replace(/^\d+ /, ''));
  expect(names).toEqual(['update table_a set x = $1', 'insert into table_b values ($1)']);
});

it('keeps different statements apart, however alike, in names that PostgreSQL takes', () => {
  const { asked, query } = client();
  const long = `select ${'x'.repeat(100)}, $1`;
  for (const text of [`${long} a`, `${long} b`]) query(text, [1]);
  const given = asked.map(({ name = '' }) => name);
  expect(new Set(given).size).toBe(2);
  for (const name of given) expect(name.length).toBeLessThanOrEqual(63);
});

it('leaves alone what has no parameters, and what would be too many', () => {
  const { asked, query } = client();
  query('begin', []);
  query('commit');
  for (let at = 0; at < 200; at += 1) query(`select ${at}, $1`, [1]);
  expect(asked.slice(0, 2)).toEqual([{ text: 'begin' }, { text: 'commit' }]);
  expect(asked.at(-1)).toEqual({ text: 'select 199, $1' });
});
