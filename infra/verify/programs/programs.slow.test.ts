import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as {
  scripts: Record<string, string>;
};

/** Every program of package.json that a person starts, with the scripts that start it. */
const programs = new Map<string, string[]>();
for (const [script, command] of Object.entries(scripts)) {
  if (script === 'postinstall') continue;
  for (const [, program = ''] of command.matchAll(/\bnode (?:--[\w=-]+ )*(\S+\.ts)\b/g))
    programs.set(program, [...(programs.get(program) ?? []), script]);
}

type Ended = { code: number | string | null; out: string; err: string };

const run = (program: string, option: string): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, option],
      { cwd: root, timeout: 50_000 },
      (error, out, err) => {
        resolve({ code: error ? (error.code ?? null) : 0, out, err });
      },
    );
  });

/** `npm run bench`, `npm run -s demo`, `npm start`. */
const callOf = (script: string) => new RegExp(`npm (run )?(-s )?${script}\\b`);

it('are found', () => {
  expect(programs.size).toBeGreaterThan(20);
});

describe.each([...programs])('%s', (program, scriptsOfIt) => {
  it('answers --help with how it is called', async () => {
    const { code, out, err } = await run(program, '--help');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^usage: /);
    expect(scriptsOfIt.filter((script) => callOf(script).test(out))).not.toEqual([]);
  });

  // What psql is given is for psql to judge, which needs a database.
  it.skipIf(program === 'projections/psql/main.ts')(
    'refuses an option that it does not have',
    async () => {
      const { code, out, err } = await run(program, '--no-such-option');
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(/^Unknown option '--no-such-option'\n\nusage: /);
    },
  );
});
