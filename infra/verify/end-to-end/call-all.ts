import { pathToFileURL } from 'node:url';

/**
 * `node call-all.ts '["<program>","<option>"]'…`: runs each program in this process, because most
 * of a program's start is loading shared modules. Prints one JSON array of the results; `ended` is
 * false for a program that does nothing when it is imported.
 */
export type ProgramCall = {
  readonly program: string;
  readonly option: string;
  readonly ended: boolean;
  readonly code: number;
  readonly out: string;
  readonly err: string;
};

type ProgramOption = [program: string, option: string];

const { exit } = process;
const print = process.stdout.write.bind(process.stdout);

async function call(program: string, option: string): Promise<ProgramCall> {
  const written = { out: '', err: '' };
  let code: number | undefined;
  const collect =
    (stream: keyof typeof written) =>
    (text: string | Uint8Array, ...more: unknown[]): boolean => {
      if (code === undefined) written[stream] += String(text);
      const done = more.at(-1);
      if (typeof done === 'function') done();
      return true;
    };
  process.argv.splice(1, Infinity, program, option);
  process.stdout.write = collect('out');
  process.stderr.write = collect('err');
  process.exit = (given) => {
    // What follows an exit, such as an error handler, must be ignored.
    code ??= Number(given ?? process.exitCode ?? 0);
    throw new Error('exit');
  };
  try {
    await import(`${pathToFileURL(program).href}?${option}`);
  } catch (error) {
    if (code === undefined) throw error;
  }
  return { program, option, ended: code !== undefined, code: code ?? 0, ...written };
}

if (import.meta.main) {
  const calls: ProgramCall[] = [];
  for (const [program, option] of process.argv
    .slice(2)
    .map((text) => JSON.parse(text) as ProgramOption))
    calls.push(await call(program, option));
  print(JSON.stringify(calls), () => exit(0));
}
