import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../main.ts', import.meta.url));
/**
 * As for `npm run audit`, which collects its garbage earlier to keep less of it, with a memory limit:
 * an audit needs 250 MB, however long the log is.
 */
const flags = ['--max-semi-space-size=16', '--heap-growing-percent=40', '--max-old-space-size=512'];
/** The lowest priority. */
const lowest = 19;
const maxStderrChars = 2_000;

/** How it ended; `output` is one line. */
export type ChildEnd = { code: number | null; output: string };

/**
 * Runs one audit in its own process: its memory is freed at the end, and it only uses idle CPU
 * time.
 */
export function runChild(
  args: readonly string[],
  {
    signal,
    timeoutMs,
    env = process.env,
    niceness = lowest,
  }: { signal: AbortSignal; timeoutMs: number; env?: NodeJS.ProcessEnv; niceness?: number },
): Promise<ChildEnd> {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(process.execPath, [...flags, main, ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env,
      signal,
      timeout: timeoutMs,
      killSignal: 'SIGTERM',
    });
    if (child.pid !== undefined) setPriority(child.pid, niceness);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-maxStderrChars);
    });
    child.on('error', (error) => {
      output = error.message;
      if (child.pid === undefined) resolve({ code: null, output });
    });
    child.on('close', (code, killedBy) =>
      resolve({ code, output: output.trim() || `it was ended by ${killedBy ?? `code ${code}`}` }),
    );
  });
}
