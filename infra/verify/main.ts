/** `npm run verify -- <name>`: the name of a program below, and its own options. */
const programs = {
  model: () => import('./model/main.ts'),
  simulation: () => import('./simulation/main.ts'),
  chaos: () => import('./chaos/main.ts'),
  hostile: () => import('./hostile/main.ts'),
} as const;

const [name = ''] = process.argv.splice(2, 1);
if (Object.hasOwn(programs, name)) await programs[name as keyof typeof programs]();
else {
  process.stderr.write(`usage: npm run verify -- ${Object.keys(programs).join(' | ')}\n`);
  process.exitCode = 2;
}
