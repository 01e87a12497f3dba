import { setTimeout as delay } from 'node:timers/promises';
import { startProcess, type Exit, type RunningProcess } from '../process/start-process.ts';
import { createAlarm, waitUntil } from '../process/wait-until.ts';
import type { Watchdog } from '../process/watchdog.ts';
import type { Output } from './output.ts';
import type { Part, PreparedPart } from './parts.ts';

const readyWithinMs = 60_000;
const probeWhileStartingMs = 120;
const usual: Timings = { probeEveryMs: 5000, hangsAfterMs: 20_000 };
const firstPauseMs = 100;
const longestPauseMs = 10_000;
/** A process that has worked for so long starts again with a short pause. */
const provenAfterMs = 30_000;
/** So many failures before it was ever ready: it will not get better. */
const attemptsToStart = 3;

export type Supervised = {
  readonly part: Part;
  /** Resolves when it is ready for the first time; rejects when it can't be started. */
  readonly ready: Promise<void>;
  readonly pid: () => number | undefined;
  /** Ends it for good: asked first, killed after the deadline. */
  readonly stop: (deadlineMs: number) => Promise<void>;
};

export type Timings = {
  readonly probeEveryMs: number;
  /** A process that answers no health check for so long hangs: it is killed, and started again. */
  readonly hangsAfterMs: number;
};

export type SuperviseOptions = {
  readonly watchdog: Watchdog;
  readonly output: Output;
  /** A process of it has started, or ended. */
  readonly onChange: () => void;
  readonly timings?: Timings;
};

/** Starts a part's process and starts it again whenever it dies or hangs, until it is stopped. */
export function supervise(part: Part, options: SuperviseOptions): Supervised {
  const { watchdog, output, onChange, timings: { probeEveryMs, hangsAfterMs } = usual } = options;
  const stopping = new AbortController();
  const firstReady = Promise.withResolvers<void>();
  // Whoever waits for it is told; nobody may be waiting while the stack is being stopped.
  firstReady.promise.catch(() => undefined);
  let current: RunningProcess | undefined;
  let everReady = false;
  let lastLines: string[] = [];

  /** One life of the process. @returns how long it was ready, undefined when it never was */
  async function live(): Promise<number | undefined> {
    const prepared = await part.prepare();
    if (stopping.signal.aborted) return undefined;
    lastLines = [];
    // A program that gets ready says so: that is when to ask, and seldom else, on a busy machine.
    const alarm = createAlarm();
    const onLine = (line: string, stream: 'stdout' | 'stderr') => {
      alarm.ring();
      lastLines = [...lastLines.slice(-9), line];
      output.line(part.name, line, stream);
    };
    const child = startProcess(prepared.launch, { watchdog, onLine });
    current = child;
    onChange();
    const ended = new AbortController();
    const onExit = ({ code, signal }: Exit) => {
      current = undefined;
      ended.abort(new Error(`ended with ${signal ?? `code ${code}`}`));
      onChange();
    };
    void child.exited.then(onExit);
    try {
      await waitUntil(part.name, prepared.isReady, {
        timeoutMs: readyWithinMs,
        intervalMs: probeWhileStartingMs,
        alarm,
        signal: ended.signal,
      });
    } catch (error) {
      child.kill('SIGKILL');
      await child.exited;
      if (!stopping.signal.aborted) complain('did not get ready', error);
      return undefined;
    }
    const since = performance.now();
    if (everReady) output.say('info', `${part.name} is back`);
    everReady = true;
    firstReady.resolve();
    prepared.accompany?.(ended.signal).catch((error: unknown) => {
      complain('has to start again', error);
      child.kill('SIGQUIT');
    });
    await watch(child, prepared, ended.signal);
    const { code, signal } = await child.exited;
    if (!stopping.signal.aborted) output.say('warn', `${part.name} ended with ${signal ?? `code ${code}`}`);
    return performance.now() - since;
  }

  /** Until it ends, or hangs and is killed. */
  async function watch(child: RunningProcess, { isLive }: PreparedPart, ended: AbortSignal): Promise<void> {
    if (isLive === undefined) return;
    let lastAnswer = performance.now();
    while (!ended.aborted) {
      await delay(probeEveryMs, undefined, { signal: ended }).catch(() => undefined);
      if (ended.aborted) return;
      if (await isLive()) lastAnswer = performance.now();
      else if (performance.now() - lastAnswer > hangsAfterMs) {
        output.say('error', `${part.name} has not answered for ${hangsAfterMs / 1000} s: killed`);
        child.kill('SIGKILL');
        return;
      }
    }
  }

  function complain(what: string, error: unknown): void {
    output.say('error', `${part.name} ${what}: ${error instanceof Error ? error.message : String(error)}`);
  }

  async function run(): Promise<void> {
    let failures = 0;
    let pauseMs = firstPauseMs;
    while (!stopping.signal.aborted) {
      let readyForMs: number | undefined;
      try {
        readyForMs = await live();
      } catch (error) {
        if (!everReady) {
          firstReady.reject(error);
          return;
        }
        complain("can't be started", error);
      }
      failures = readyForMs === undefined ? failures + 1 : 0;
      if (!everReady && failures >= attemptsToStart && !stopping.signal.aborted) {
        const said = lastLines.find((line) => /error|fatal/i.test(line)) ?? lastLines.at(-1) ?? '';
        firstReady.reject(new Error(`${part.name} can't be started: ${said}`));
        return;
      }
      pauseMs = (readyForMs ?? 0) > provenAfterMs ? firstPauseMs : Math.min(pauseMs * 2, longestPauseMs);
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const over = run();
  return {
    part,
    ready: firstReady.promise,
    pid: () => current?.pid,
    stop: async (deadlineMs) => {
      stopping.abort();
      firstReady.reject(new Error(`${part.name} was stopped`));
      await current?.stop(deadlineMs);
      await over;
    },
  };
}
