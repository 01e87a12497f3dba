import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { readCommandLine } from '#shared/platform/command-line.ts';
import { findProgram } from '#infra/process/find-program.ts';
import { compose, manifests, type Manifest } from '../testing/manifests.ts';
import { checkObjects } from './kubernetes.ts';
import { installTools, requireTool, root, runProgram } from './tools.ts';

/**
 * `npm run verify -- deployment`: checks the Containerfile, the compose file, the manifests and the
 * alert rules with the schemas and tools of their consumers. Checks whose program is not installed
 * are reported as skipped.
 */
type Check = {
  name: string;
  /** A program that is not the project's. */
  needs?: string;
  run(): Promise<string[]> | string[];
};

type Diagnostic = { message: string; range: { start: { line: number } }; severity?: number };
type Ajv = new (options: object) => {
  validate(schema: object, data: unknown): boolean;
  errorsText(): string;
};

const containerfile = join(root, 'infra/deploy/Containerfile');
const outcome = ({ failed, output }: { failed: boolean; output: string }) =>
  failed ? [output.trim()] : [];

const checks: readonly Check[] = [
  {
    name: 'Containerfile: dockerfile-utils',
    run: () => {
      const { validate } = requireTool('dockerfile-utils') as {
        validate(text: string): Diagnostic[];
      };
      return validate(readFileSync(containerfile, 'utf8')).map(
        ({ message, range }) => `line ${range.start.line + 1}: ${message}`,
      );
    },
  },
  {
    name: 'compose.yaml: the compose specification’s schema',
    run: () => {
      const { default: Ajv } = requireTool('ajv/dist/2020.js') as { default: Ajv };
      const schema = JSON.parse(
        readFileSync(
          join(requireTool.resolve('dclint'), '../../schemas/compose.schema.json'),
          'utf8',
        ),
      ) as object;
      const ajv = new Ajv({
        strict: false,
        allErrors: true,
        validateFormats: false,
        logger: false,
      });
      return ajv.validate({ ...schema, $schema: undefined }, compose) ? [] : [ajv.errorsText()];
    },
  },
  { name: 'kubernetes/: the API’s schemas and types', run: () => checkObjects(manifests) },
  {
    name: 'kubernetes/: kustomize, and what comes of it',
    needs: 'kubectl',
    run: () => {
      const built = runProgram('kubectl', ['kustomize', 'infra/deploy/kubernetes']);
      if (built.failed) return [built.output];
      const objects = parseAllDocuments(built.output).map((each): Manifest => each.toJS());
      const count = objects.length === manifests.length ? [] : [`${objects.length} objects`];
      const elsewhere = objects.filter(
        ({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== 'payment-gateway',
      );
      const problems = elsewhere.map(
        ({ kind, metadata }) => `${kind} ${metadata.name} has another namespace`,
      );
      return checkObjects(objects).then((found) => [...count, ...problems, ...found]);
    },
  },
  {
    name: 'haproxy.cfg: haproxy -c',
    needs: 'haproxy',
    run: () => outcome(runProgram('haproxy', ['-c', '-f', 'infra/deploy/haproxy.cfg'])),
  },
  {
    name: 'alerts.yaml: promtool check rules',
    needs: 'promtool',
    run: () =>
      outcome(runProgram('promtool', ['check', 'rules', 'infra/observability/alerts.yaml'])),
  },
  {
    name: 'alerts.yaml: promtool test rules',
    needs: 'promtool',
    run: () =>
      outcome(runProgram('promtool', ['test', 'rules', 'infra/observability/alerts.test.yaml'])),
  },
];

const usage = `usage: npm run verify -- deployment

Checks the image, the compose file, the manifests and the alert rules against their schemas
(docs/operators/deployment.md). Checks whose program is not installed are skipped.
`;
readCommandLine(usage, {});
installTools();
for (const { name, needs, run: check } of checks) {
  if (needs !== undefined && findProgram(needs) === undefined) {
    process.stdout.write(`left out  ${name}: there is no ${needs} here\n`);
    continue;
  }
  const problems = await check();
  process.stdout.write(`${problems.length === 0 ? 'good    ' : 'wrong   '}  ${name}\n`);
  for (const problem of problems) process.stdout.write(`          ${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
}
