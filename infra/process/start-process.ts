import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { waitUntil } from './wait-until.ts';
import type { Watchdog } from './watchdog.ts';

/** How to start a program. */
export type Launch = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
  /** Requests a clean exit. */
  readonly stopSignal: NodeJS.Signals;
};

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type RunningProcess = {
  readonly name: string;
  readonly pid: number;
  readonly exited: Promise<Exit>;
  readonly kill: (signal: NodeJS.Signals) => void;
  /**
   * Signals it to end (with another signal than its own, if given), and kills it after the
   * deadline.
   */
  readonly stop: (deadlineMs: number, signal?: NodeJS.Signals) => Promise<Exit>;
};

type StartOptions = {
  readonly watchdog: Watchdog;
  /** Every line that it prints, and where. */
  readonly onLine?: (line: string, stream: 'stdout' | 'stderr') => void;
};

// Waits for one line before it becomes the program itself (same pid), so that no program runs
// without the watchdog: a supervisor killed in between closes the pipe, and nothing is started.
const gate = 'read -r go && exec "$@" </dev/null';

/**
 * Starts a program in a session of its own (Ctrl-C is the supervisor's to handle), tied to the
 * watchdog.
 * @throws when the shell can't be started; a program that can't be run exits with 126 or 127.
 */
export function startProcess(launch: Launch, { watchdog, onLine }: StartOptions): RunningProcess {
  const child = spawn('/bin/sh', ['-c', gate, launch.name, launch.command, ...launch.args], {
    cwd: launch.cwd,
    // With the compile cache of the last start, a Node program starts in half the time.
    env: { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...launch.env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(launch.uid === undefined ? {} : { uid: launch.uid }),
    ...(launch.gid === undefined ? {} : { gid: launch.gid }),
  });
  const { pid } = child;
  if (pid === undefined) {
    child.on('error', () => undefined);
    throw new Error(`${launch.name} can't be started: /bin/sh does not run`);
  }
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => {
      watchdog.remove(pid);
      resolve({ code, signal });
    });
  });
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  for (const stream of ['stdout', 'stderr'] as const) {
    const lines = createInterface({ input: child[stream], crlfDelay: Infinity });
    lines.on('line', (line) => onLine?.(line, stream));
  }
  watchdog.add(pid, launch.stopSignal);
  child.stdin.end('go\n');

  const running = () => child.exitCode === null && child.signalCode === null;
  const kill = (signal: NodeJS.Signals) => {
    if (running()) child.kill(signal);
  };
  return {
    name: launch.name,
    pid,
    exited,
    kill,
    stop: async (deadlineMs, signal = launch.stopSignal) => {
      kill(signal);
      const timer = setTimeout(() => kill('SIGKILL'), deadlineMs);
      try {
        return await exited;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

const linesInError = 50;

/**
 * Starts a program, and waits until it is ready.
 * @throws with its last output, if it ends before or is not ready in time; it does not run then
 */
export async function startUntilReady(
  { launch, isReady }: { launch: Launch; isReady: () => Promise<boolean> },
  { watchdog, timeoutMs = Number.POSITIVE_INFINITY }: { watchdog: Watchdog; timeoutMs?: number },
): Promise<RunningProcess> {
  const { name } = launch;
  let lines: string[] = [];
  const onLine = (line: string) => (lines = [...lines.slice(1 - linesInError), line]);
  const child = startProcess(launch, { watchdog, onLine });
  const ended = new AbortController();
  void child.exited.then(({ code }) => ended.abort(new Error(`${name} ended with ${code}`)));
  try {
    await waitUntil(`${name} is ready`, isReady, { timeoutMs, signal: ended.signal });
    return child;
  } catch (error) {
    await child.stop(10_000);
    const { message } = error as Error;
    throw new Error([message, ...lines].join('\n'), { cause: error });
  }
}
