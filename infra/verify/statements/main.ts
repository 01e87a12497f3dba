import { compareVerdicts } from '#clients/typescript/testing/compare-verdicts.ts';
import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';

const usage = `usage: npm run verify -- statements [--count N] [--seed N]

Changes good statements at random and gives them to the verifiers in TypeScript and in Python, which
have to print the same line of each. Exits with 1 if they don't, or if one accepts other figures than
what was hashed and signed.

  --count <number>  default 100000
  --seed <number>   default 1
`;
const { values } = readCommandLine(usage, {
  options: {
    count: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
  },
});
const [count, seed] = [Number(values.count), Number(values.seed)];
if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(seed) || seed < 0)
  refuseCommandLine(usage, '--count and --seed take whole numbers');
const print = (text: string) => void process.stdout.write(`${text}\n`);

const { accepted, refused, reasons, different, misleading } = compareVerdicts({ seed, count });
print(`${count} files: ${accepted} accepted, ${refused} refused for ${reasons} kinds of reasons`);
print(`${different.length} with different lines, ${misleading.length} accepted with other figures`);
for (const { typescript, python, file } of different.slice(0, 10))
  print(`\nTypeScript: ${typescript}\nPython:     ${python}\n${file}`);
for (const file of misleading.slice(0, 10)) print(`\naccepted: ${file}`);
if (different.length + misleading.length > 0) process.exitCode = 1;
