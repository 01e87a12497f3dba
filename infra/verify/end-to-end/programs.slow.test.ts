import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { programs as behind } from '#infra/verify/harness/processes/named-programs.ts';
import type { ProgramCall } from './call-all.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const callAll = fileURLToPath(new URL('call-all.ts', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as {
  scripts: Record<string, string>;
};

/** Every program that a person starts, with the `npm run` scripts that start it. */
const programs = new Map<string, string[]>();
for (const [script, command] of Object.entries(scripts)) {
  if (script === 'postinstall') continue;
  for (const [, program = ''] of command.matchAll(/\bnode (?:--[\w=-]+ )*(\S+\.ts)\b/g))
    programs.set(program, [...(programs.get(program) ?? []), script]);
}

for (const [kind, named] of Object.entries(behind))
  for (const [name, program] of Object.entries(named))
    programs.set(program, [`${kind} -- ${name}`]);

/** Runs a program by itself if it does nothing when it is imported. */
function runAlone(call: ProgramCall): ProgramCall {
  const { status, stdout, stderr } = spawnSync(process.execPath, [call.program, call.option], {
    cwd: root,
    encoding: 'utf8',
  });
  return { ...call, ended: true, code: status ?? -1, out: stdout, err: stderr };
}

// psql validates its own options, which needs a database.
const withoutValidation = 'projections/psql/main.ts';
const wanted = [...programs.keys()].flatMap((program) => [
  [program, '--help'],
  ...(program === withoutValidation ? [] : [[program, '--no-such-option']]),
]);
const args = [callAll, ...wanted.map((call) => JSON.stringify(call))];
const calls = (
  JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })) as ProgramCall[]
).map((call) => (call.ended ? call : runAlone(call)));
const callsWith = (option: string) => calls.filter((call) => call.option === option);

/** `npm run bench`, `npm run -s demo`, `npm start`, `npm run lab -- exports`. */
const callOf = (script: string) => new RegExp(`npm (run )?(-s )?${script}\\b`);

it('finds the programs of package.json', () => {
  expect(programs.size).toBeGreaterThan(20);
  expect(calls).toHaveLength(2 * programs.size - 1);
});

it.each(callsWith('--help'))(
  '$program prints its usage for --help',
  ({ program, code, out, err }) => {
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^usage: /);
    const named = programs.get(program)?.filter((script) => callOf(script).test(out));
    expect(named).not.toEqual([]);
  },
);

it.each(callsWith('--no-such-option'))(
  '$program rejects an unknown option',
  ({ code, out, err }) => {
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^Unknown option '--no-such-option'\n\nusage: /);
  },
);
