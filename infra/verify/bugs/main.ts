import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCommandLine } from '#shared/platform/command-line.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/temp-folder.ts';
import { bugs, type Bug } from './bugs.ts';

/**
 * `npm run bugs`: makes each bug in a copy of the last commit, one at a time, and has the tests
 * look for it.
 */
const usage = `usage: npm run bugs -- [--only <text>] [--list <file>]

Makes known mistakes in a copy of the last commit, one at a time: the tests must notice each
(docs/developers/bugs.md).

  --only <text>  those whose name has this text
  --list <file>  writes which test caught each
`;
const { values } = readCommandLine(usage, {
  options: { only: { type: 'string' }, list: { type: 'string' } },
});
const only = values.only;
/** Longer than the slowest of the tests take by far. */
const hangsAfterMs = 600_000;
const chosen = bugs.filter(({ name }) => only === undefined || name.includes(only));
const folder = join(makeTempFolder(), 'copy');
const git = (...args: string[]) => {
  const { status, stderr } = spawnSync('git', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
};

/** The first test that fails; undefined when all pass. */
function run({ project, tests }: Pick<Bug, 'project' | 'tests'>): string | undefined {
  // Unit tests are over so soon that a bail ends them before the one that failed is in the report.
  const bail = project === 'unit' ? [] : ['--bail', '1'];
  const args = ['run', '--config', 'vitest.workspace.ts', '--project', project, ...bail];
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs');
  const report = join(folder, '..', 'report.json');
  rmSync(report, { force: true });
  const { stderr } = spawnSync(
    process.execPath,
    [vitest, ...args, '--reporter', 'json', '--outputFile', report, ...tests],
    {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      timeout: hangsAfterMs,
      killSignal: 'SIGKILL',
    },
  );
  // It did not get as far as a report: what was changed keeps its tests from ending.
  if (!existsSync(report)) return `no report: ${stderr.trim().split('\n').at(-1) ?? ''}`;
  return firstFailure(readFileSync(report, 'utf8'));
}

/**
 * What fails of tests without a bug, which must be nothing: tests that serve several bugs are tried
 * once.
 */
const without = new Map<string, string | undefined>();

function failsAnyway(bug: Bug): string | undefined {
  const tests = [bug.project, ...bug.tests].join(' ');
  // Once more before it is believed: a machine that is busy with other things makes tests late.
  if (!without.has(tests)) without.set(tests, run(bug) && run(bug));
  return without.get(tests);
}

/** Who notices a bug; undefined if nobody does. */
function hunt(bug: Bug): string | undefined {
  const path = join(folder, bug.file);
  const sound = readFileSync(path, 'utf8');
  try {
    writeFileSync(
      path,
      sound.replace(bug.find, () => bug.replace),
    );
    return run(bug);
  } finally {
    writeFileSync(path, sound);
  }
}

type Report = {
  numTotalTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string }[];
  }[];
};

function firstFailure(json: string): string | undefined {
  const report = JSON.parse(json) as Report;
  const assertions = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = assertions.find(({ status }) => status === 'failed');
  if (failed) return failed.fullName;
  // With a bail the others are stopped where they are, and count as failed without a word.
  const broken = report.testResults.find(
    ({ status, message }) => status === 'failed' && message !== '',
  );
  if (broken) return `${broken.name.slice(folder.length + 1)}: ${broken.message.split('\n', 1)[0]}`;
  if (report.numTotalTests === 0) return 'no test ran';
  return undefined;
}

git('worktree', 'add', '--detach', folder, 'HEAD');
const rows: string[] = [];
let missed = 0;
try {
  // What is installed, and the server that was fetched.
  for (const name of ['node_modules', '.cache'])
    symlinkSync(join(process.cwd(), name), join(folder, name));
  for (const [index, bug] of chosen.entries()) {
    const beganAt = performance.now();
    const anyway = failsAnyway(bug);
    const caught = anyway === undefined ? hunt(bug) : undefined;
    const seconds = (performance.now() - beganAt) / 1000;
    if (caught === undefined) missed += 1;
    const verdict =
      caught === undefined
        ? `NOT CAUGHT${anyway ? `: "${anyway}" fails anyway` : ''}`
        : `caught by "${caught}"`;
    process.stdout.write(
      `${index + 1}/${chosen.length} ${bug.name}: ${verdict} (${seconds.toFixed(0)} s)\n`,
    );
    rows.push(`- **${bug.name}** (\`${bug.file}\`): ${caught ?? '**nobody**'}`);
  }
} finally {
  git('worktree', 'remove', '--force', folder);
  removeFolder(join(folder, '..'));
}
if (values.list !== undefined) writeFileSync(values.list, `${rows.join('\n')}\n`);
process.stdout.write(
  missed === 0 ? `all ${chosen.length} caught\n` : `${missed} of ${chosen.length} not caught\n`,
);
process.exit(missed === 0 ? 0 : 1);
