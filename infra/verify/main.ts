import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';

const programs = {
  model: () => import('./model/main.ts'),
  simulation: () => import('./simulation/main.ts'),
  chaos: () => import('./chaos/main.ts'),
  hostile: () => import('./hostile/main.ts'),
} as const;

const usage = `usage: npm run verify -- <name> [options]

Runs one of the programs that check the whole gateway; \`<name> --help\` says what it does.

  ${Object.keys(programs).join(', ')}
`;

const [name = ''] = process.argv.slice(2);
if (Object.hasOwn(programs, name)) {
  process.argv.splice(2, 1);
  await programs[name as keyof typeof programs]();
} else {
  readCommandLine(usage, { allowPositionals: true });
  refuseCommandLine(usage, `Write one of: ${Object.keys(programs).join(', ')}`);
}
