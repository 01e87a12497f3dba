import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stackForFile } from '#infra/verify/harness/stacks/test-stack.ts';
import { folderForFile } from '#infra/verify/harness/tests/for-file.ts';
import { services } from '#infra/start/services.ts';
import { loadConfig } from '#shared/platform/config/load.ts';
import { typeLine } from '../harness/processes/terminal.ts';
import { compose, root, type Manifest } from './testing/manifests.ts';
import { requiredOf, variablesOf } from './testing/variables.ts';

/** The shell blocks of a document, in their order. */
const blocksOf = (path: string): string[] =>
  [...readFileSync(join(root, path), 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(
    ([, block = '']) => block,
  );
/** A block without the commands that need a container engine or a cluster. */
const runnable = (block: string): string =>
  block
    .split('\n')
    .filter((line) => !/^(docker|kubectl) /.test(line))
    .join('\n');

const [build = '', secrets = '', auditKey = '', ...others] = blocksOf(
  'docs/operators/deployment.md',
);
const [start = '', requests = '', ...otherBlocks] = blocksOf('README.md');

describe('the commands of README.md and deployment.md', () => {
  const folder = folderForFile();
  const stack = stackForFile({ env: { DEMO: '1' } });
  const run = (block: string, env: Record<string, string> = {}) =>
    typeLine(stack, block, { env, excerpt: () => '' });

  it('are all run here', () => {
    // The packages are installed already, and the stack is started.
    expect(start).toBe('npm ci && npm start\n');
    expect([others, otherBlocks]).toEqual([[], []]);
  });

  it('README: create a payment and read it', async () => {
    const here = requests.replaceAll('http://localhost:8080', stack.urls.gateway);
    const [created, read] = (await run(here)).replaceAll('}{', '}\n{').split('\n');
    const { operation_id: id } = JSON.parse(created ?? '') as Record<string, string>;
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.parse(read ?? '')).toMatchObject({ operation_id: id });
    const again = await run(here.replaceAll('curl -s', 'curl -si'));
    expect(again).toMatch(/^idempotent-replayed: true\r$/im);
  });

  it('README: sign in to the portal and the console, and audit', async () => {
    expect(await run('npm run -s sign-in')).toContain(stack.urls.admin.split(':').at(-1));
    expect(await run('npm run -s sign-in:portal')).toContain(stack.urls.portal.split(':').at(-1));
    expect(await run('npm run -s audit')).toMatch(/^Every one of \d+ checked rules holds\.$/m);
  });

  it('deployment.md: report every missing variable of a service, which exits', async () => {
    const main = /docker run --rm payment-gateway (\S+) /.exec(build)?.[1] ?? '';
    const bare = `env -i "$(command -v node)" ${root}${main} 2>&1 || echo "exit $?"`;
    const output = await run(bare);
    for (const name of requiredOf(join(root, main))) expect(output).toContain(name);
    expect(output).toMatch(/exit 1\n$/);
  });

  it('deployment.md: create all secrets of compose.yaml, valid for each service', async () => {
    await run(`cd ${folder}\n${runnable(secrets)}`);
    const file = readFileSync(join(folder, '.env'), 'utf8');
    const values = new Map(
      file
        .trimEnd()
        .split('\n')
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    const required = readFileSync(join(root, 'infra/compose.yaml'), 'utf8').matchAll(
      /\$\{(\w+):\?/g,
    );
    expect(new Set([...required].map(([, name]) => name))).toEqual(new Set(values.keys()));
    for (const { name, main } of services) {
      const environmentOfService = composed(name, values);
      const needed = requiredOf(join(root, main));
      const read = variablesOf(join(root, main)).filter(
        (variable) => needed.includes(variable) || environmentOfService[variable],
      );
      expect(() => loadConfig(read, environmentOfService)).not.toThrow();
    }
  });

  it('deployment.md: create an audit key whose public half verifies checkpoints', async () => {
    await run(`cd ${folder}\n${runnable(auditKey)}`);
    const command = `npm run -s audit -- --checkpoints ${folder}/checkpoints`;
    const env = { AUDIT_SIGNING_KEY: join(folder, 'audit.pem') };
    await run(`mkdir ${folder}/checkpoints && ${command}`, env);
    const next = await run(`${command} --public-key ${folder}/audit.pub`, env);
    expect(next).toContain('the log up to the checkpoint is unchanged');
  });
});

/** The environment of a service in compose.yaml with these values of `.env`. */
function composed(name: string, values: ReadonlyMap<string, string>): Record<string, string> {
  const { environment }: Manifest = compose.services[name];
  return Object.fromEntries(
    Object.entries(environment).map(([variable, value]) => [
      variable,
      String(value).replaceAll(
        /\$\{(\w+)(?::[?-]([^}]*))?\}/g,
        (_, key: string, or = '') => values.get(key) ?? or,
      ),
    ]),
  );
}
