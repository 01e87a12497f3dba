import { fileURLToPath } from 'node:url';
import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';

/** The programs of `npm run verify` and `npm run lab`, by name. */
export const programs = {
  verify: {
    model: 'infra/verify/model/main.ts',
    chaos: 'infra/verify/chaos/main.ts',
    hostile: 'infra/verify/hostile/main.ts',
    statements: 'infra/verify/statements/main.ts',
    deployment: 'infra/verify/deploy/check/main.ts',
    image: 'infra/verify/deploy/try-image.ts',
  },
  lab: {
    'bank-files': 'infra/lab/bank-files/main.ts',
    capacity: 'infra/lab/capacity/main.ts',
    exports: 'infra/lab/exports/main.ts',
    'event-store': 'infra/event-store-node/benchmark/main.ts',
    journeys: 'infra/lab/journeys/main.ts',
    screenshots: 'infra/lab/screenshots/main.ts',
  },
} as const;

const about = {
  verify: 'Runs one of the programs that check the whole gateway',
  lab: 'Runs one of the programs that measure or show the gateway',
} as const;

/** Runs the program that the first argument names, with the arguments after it. */
export async function startNamed(kind: keyof typeof programs): Promise<void> {
  const named: Readonly<Record<string, string>> = programs[kind];
  const names = Object.keys(named).join(', ');
  const usage = `usage: npm run ${kind} -- <name> [options]

${about[kind]}; \`<name> --help\` says what it does.

  ${names}
`;
  const [name = ''] = process.argv.slice(2);
  const program = Object.hasOwn(named, name) ? named[name] : undefined;
  if (program !== undefined) {
    process.argv.splice(2, 1);
    await import(fileURLToPath(new URL(`../../../../${program}`, import.meta.url)));
    return;
  }
  readCommandLine(usage, { allowPositionals: true });
  refuseCommandLine(usage, `Write one of: ${names}`);
}
