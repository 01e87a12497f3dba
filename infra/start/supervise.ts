import { setTimeout as delay } from 'node:timers/promises';
import { startProcess, type Exit, type RunningProcess } from '../process/start-process.ts';
import { createAlarm, waitUntil } from '../process/wait-until.ts';
import type { Watchdog } from '../process/watchdog.ts';
import type { Output } from './output.ts';
import type { StackProcess, PreparedProcess } from './processes.ts';

const readyWithinMs = 60_000;
const probeWhileStartingMs = 120;
const usual: Timings = { probeEveryMs: 5000, hangsAfterMs: 20_000 };
const firstPauseMs = 100;
const longestPauseMs = 10_000;
/** A process that has worked for this long is restarted after a short pause. */
const provenAfterMs = 30_000;
/** The failures before it was ever ready after which it is given up. */
const attemptsToStart = 3;

type Timings = {
  readonly probeEveryMs: number;
  /** A process that answers no health check for this long hangs: it is killed and restarted. */
  readonly hangsAfterMs: number;
};

type SuperviseOptions = {
  readonly watchdog: Watchdog;
  readonly output: Output;
  /** A process of it has started, or ended. */
  readonly onChange: () => void;
  readonly timings?: Timings;
};

/** A started process with its state. */
type Life = {
  readonly prepared: PreparedProcess;
  readonly child: RunningProcess;
  /** Rings when the process says something. */
  readonly alarm: ReturnType<typeof createAlarm>;
  /** Aborted when the process has ended. */
  readonly ended: AbortSignal;
};

/** Starts a process, and restarts it whenever it dies or hangs, until it is stopped. */
export class Supervisor {
  readonly spec: StackProcess;
  readonly #options: SuperviseOptions;
  readonly #stopping = new AbortController();
  readonly #firstReady = Promise.withResolvers<void>();
  readonly #over: Promise<void>;
  #current: RunningProcess | undefined;
  #everReady = false;
  #lastLines: string[] = [];

  constructor(spec: StackProcess, options: SuperviseOptions) {
    this.spec = spec;
    this.#options = options;
    // Nobody may be waiting for it while the stack is being stopped.
    this.#firstReady.promise.catch(() => undefined);
    this.#over = this.#run();
  }

  /** Resolves when it is ready for the first time; rejects when it can't be started. */
  get ready(): Promise<void> {
    return this.#firstReady.promise;
  }

  pid(): number | undefined {
    return this.#current?.pid;
  }

  /** Stops it for good: SIGTERM first, SIGKILL after the deadline. */
  async stop(deadlineMs: number): Promise<void> {
    this.#stopping.abort();
    this.#firstReady.reject(new Error(`${this.spec.name} was stopped`));
    await this.#current?.stop(deadlineMs);
    await this.#over;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let failures = 0;
    let pauseMs = firstPauseMs;
    while (!signal.aborted) {
      let readyForMs: number | undefined;
      try {
        readyForMs = await this.#liveOnce();
      } catch (error) {
        if (!this.#everReady) return this.#firstReady.reject(error);
        this.#complain("can't be started", error);
      }
      failures = readyForMs === undefined ? failures + 1 : 0;
      if (!this.#everReady && failures >= attemptsToStart && !signal.aborted)
        return this.#firstReady.reject(this.#whyNeverReady());
      pauseMs =
        (readyForMs ?? 0) > provenAfterMs ? firstPauseMs : Math.min(pauseMs * 2, longestPauseMs);
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** One life of the process. @returns how long it was ready, undefined when it never was */
  async #liveOnce(): Promise<number | undefined> {
    const prepared = await this.spec.prepare();
    if (this.#stopping.signal.aborted) return undefined;
    const life = this.#start(prepared);
    if (!(await this.#getsReady(life))) return undefined;
    const since = performance.now();
    if (this.#everReady) this.#options.output.log('info', `${this.spec.name} is back`);
    this.#everReady = true;
    this.#firstReady.resolve();
    await this.#watch(life);
    const exit = await life.child.exited;
    if (!this.#stopping.signal.aborted)
      this.#options.output.log('warn', `${this.spec.name} ended with ${inWords(exit)}`);
    return performance.now() - since;
  }

  #start(prepared: PreparedProcess): Life {
    const { watchdog, output, onChange } = this.#options;
    this.#lastLines = [];
    // A program announces that it is ready: then it is checked, and otherwise rarely, because the
    // machine may be busy.
    const alarm = createAlarm();
    const child = startProcess(prepared.launch, {
      watchdog,
      onLine: (line, stream) => {
        alarm.ring();
        this.#lastLines = [...this.#lastLines.slice(-9), line];
        output.line(this.spec.name, line, stream);
      },
    });
    this.#current = child;
    onChange();
    const ended = new AbortController();
    const onExit = (exit: Exit) => {
      this.#current = undefined;
      ended.abort(new Error(`ended with ${inWords(exit)}`));
      onChange();
    };
    void child.exited.then(onExit);
    return { prepared, child, alarm, ended: ended.signal };
  }

  /** False: it ended first, or was killed because it took too long without answering. */
  async #getsReady(life: Life): Promise<boolean> {
    const { prepared, child, ended } = life;
    for (;;) {
      const fault = await this.#waitUntilReady(life);
      if (fault === undefined) return true;
      // A service that answers explains why it is not ready: others of its process may work, and a
      // restart would not help.
      const isLive = !ended.aborted && (await prepared.isLive?.()) === true;
      if (!isLive) {
        child.kill('SIGKILL');
        await child.exited;
      }
      if (!this.#stopping.signal.aborted)
        this.#complain(isLive ? 'is not ready yet' : 'did not get ready', fault);
      if (!isLive) return false;
    }
  }

  async #waitUntilReady({ prepared, alarm, ended }: Life): Promise<unknown> {
    try {
      await waitUntil(this.spec.name, prepared.isReady, {
        timeoutMs: readyWithinMs,
        intervalMs: probeWhileStartingMs,
        alarm,
        signal: ended,
      });
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** Until it ends, or hangs and is killed. */
  async #watch({ prepared: { isLive }, child, ended }: Life): Promise<void> {
    if (isLive === undefined) return;
    const { output, timings: { probeEveryMs, hangsAfterMs } = usual } = this.#options;
    let lastAnswer = performance.now();
    while (!ended.aborted) {
      await delay(probeEveryMs, undefined, { signal: ended }).catch(() => undefined);
      if (ended.aborted) return;
      if (await isLive()) lastAnswer = performance.now();
      else if (performance.now() - lastAnswer > hangsAfterMs) {
        output.log(
          'error',
          `${this.spec.name} has not answered for ${hangsAfterMs / 1000} s: killed`,
        );
        child.kill('SIGKILL');
        return;
      }
    }
  }

  #whyNeverReady(): Error {
    const lastError =
      this.#lastLines.find((line) => /error|fatal/i.test(line)) ?? this.#lastLines.at(-1) ?? '';
    return new Error(`${this.spec.name} can't be started: ${lastError}`);
  }

  #complain(what: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.output.log('error', `${this.spec.name} ${what}: ${reason}`);
  }
}

const inWords = ({ code, signal }: Exit): string => signal ?? `code ${code}`;
