import { expect, it } from 'vitest';
import { rolesByRoute } from '#services/back-office/api/roles.ts';
import { commands } from './commands.ts';

it('lists every command of the admin API with the roles of its route (R18.8)', () => {
  const listed = [...commands.values()].flatMap(({ routes, roles }) =>
    routes.map((route): [string, readonly string[]] => [route, roles]),
  );
  const changing = Object.entries(rolesByRoute).filter(([route]) => !route.startsWith('GET '));
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(changing));
});
