import { expect, it } from 'vitest';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { variables } from '#shared/platform/config/variables.ts';
import { writeDemo } from './demo-file.ts';
import { demoExports } from './running.ts';

it('exports no variable to a shell that a later start would take as a setting', () => {
  const dataDir = useTempFolder();
  writeDemo(dataDir, { api_key: 'key', shop_id: 'shop' });
  const exported = demoExports({ env: { DATA_DIR: dataDir, ADMIN_TOKEN: 'adm_token' } });
  const names = [...exported.matchAll(/^export (\w+)=/gm)].map(([, name = '']) => name);
  expect(names).toContain('PROVIDER');
  // The stack's own token, and so valid for a start too.
  expect(names.filter((name) => name in variables)).toEqual(['ADMIN_TOKEN']);
});
