import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { rolesByRoute } from './roles.ts';

const letters = { admin: 'a', operator: 'o', auditor: 'i' } as const;

test('docs/operators/admin-api.md has every route, with its roles', async () => {
  const text = await readFile(
    new URL('../../docs/operators/admin-api.md', import.meta.url),
    'utf8',
  );
  const documented = [
    ...text.matchAll(/^- `((?:GET|POST|PUT|PATCH|DELETE) \S+)` \(([aoi ]+)\):/gm),
  ];
  const expected = Object.entries(rolesByRoute).map(
    ([route, roles]) => `${route}: ${roles.map((role) => letters[role]).join(' ')}`,
  );
  expect(documented.map(([, route, roles]) => `${route}: ${roles}`).toSorted()).toEqual(
    expected.toSorted(),
  );
});
