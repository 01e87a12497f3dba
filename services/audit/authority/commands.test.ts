import { expect, it } from 'vitest';
import { rolesByRoute } from '#services/back-office/api/roles.ts';
import { commands } from './commands.ts';

it('has every command of the admin API with the roles that its route lets through (R18.8)', () => {
  const signedReport = [...commands.values()].flatMap(({ routes, roles }) =>
    routes.map((route): [string, readonly string[]] => [route, roles]),
  );
  const changing = Object.entries(rolesByRoute).filter(([route]) => !route.startsWith('GET '));
  expect(Object.fromEntries(signedReport)).toEqual(Object.fromEntries(changing));
});
