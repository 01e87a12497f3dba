import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useTempFolder } from '../tests/for-file.ts';

it('loads one instance of a package, also in a checkout below a folder named es', async () => {
  const folder = join(useTempFolder(), 'es', 'gateway', 'node_modules', 'some-package');
  mkdirSync(folder, { recursive: true });
  const main = join(folder, 'index.js');
  writeFileSync(main, 'exports.Message = class {};');
  const imported = (await import(main)) as { Message: unknown };
  const required = createRequire(import.meta.url)(main) as { Message: unknown };
  expect(imported.Message).toBe(required.Message);
});
