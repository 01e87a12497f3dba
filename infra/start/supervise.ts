import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage } from '#shared/platform/error-message.ts';
import { readActivity } from '../process/activity.ts';
import { startProcess, type Exit, type RunningProcess } from '../process/start-process.ts';
import { createPause, waitUntil } from '../process/wait-until.ts';
import type { Watchdog } from '../process/watchdog.ts';
import { createHangDetector, type HangDetector } from './hang.ts';
import type { Output } from './output.ts';
import type { StackProcess, PreparedProcess } from './processes.ts';

const probeWhileStartingMs = 120;
const usualCheckEveryMs = 5000;
const firstPauseMs = 100;
const longestPauseMs = 10_000;
/** A process that has worked for this long is restarted after a short pause. */
const provenAfterMs = 30_000;
/** The failures before it was ever ready after which it is given up. */
const attemptsToStart = 3;

type SuperviseOptions = {
  readonly watchdog: Watchdog;
  readonly output: Output;
  /** A process of it has started, or ended. */
  readonly onChange: () => void;
  readonly checkEveryMs?: number;
};

/** A started process with its state. */
type Life = {
  readonly prepared: PreparedProcess;
  readonly child: RunningProcess;
  /** Rings when the process says something. */
  readonly alarm: ReturnType<typeof createPause>;
  readonly hang: HangDetector;
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
    const prepared = await this.spec.prepare(this.#stopping.signal);
    if (this.#stopping.signal.aborted) return undefined;
    const life = this.#start(prepared);
    const watching = this.#watch(life);
    if (!(await this.#getsReady(life))) return undefined;
    const since = performance.now();
    if (prepared.hasEventLoop) life.hang.started(readActivity(life.child.pid));
    if (this.#everReady) this.#options.output.log('info', `${this.spec.name} is back`);
    this.#everReady = true;
    this.#firstReady.resolve();
    await watching;
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
    const alarm = createPause();
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
    return { prepared, child, alarm, hang: createHangDetector(), ended: ended.signal };
  }

  /** False: it ended first, or can never be ready. */
  async #getsReady({ prepared, child, alarm, ended }: Life): Promise<boolean> {
    try {
      await waitUntil(this.spec.name, () => prepared.isReady(ended), {
        intervalMs: probeWhileStartingMs,
        alarm,
        signal: ended,
      });
      return true;
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#complain('did not get ready', error);
      child.kill('SIGKILL');
      await child.exited;
      return false;
    }
  }

  /** Until it ends, or hangs and is killed. */
  async #watch({ prepared: { isLive }, child, hang, ended }: Life): Promise<void> {
    if (isLive === undefined) return;
    const { output, checkEveryMs = usualCheckEveryMs } = this.#options;
    let [isProbing, answered] = [false, false];
    // One request at a time, without a timeout: its answer may come after several checks.
    const probe = async () => {
      isProbing = true;
      answered = (await isLive(ended)) || answered;
      isProbing = false;
    };
    while (!ended.aborted) {
      if (!isProbing) void probe();
      await delay(checkEveryMs, undefined, { signal: ended }).catch(() => undefined);
      const reason = hang.check({ answered, activity: readActivity(child.pid) });
      if (reason !== undefined && !ended.aborted) {
        output.log('error', `${this.spec.name} does not answer, and ${reason}: killed`);
        child.kill('SIGKILL');
        return;
      }
      answered = false;
    }
  }

  #whyNeverReady(): Error {
    const lastError =
      this.#lastLines.find((line) => /error|fatal/i.test(line)) ?? this.#lastLines.at(-1) ?? '';
    return new Error(`${this.spec.name} can't be started: ${lastError}`);
  }

  #complain(what: string, error: unknown): void {
    const reason = errorMessage(error);
    this.#options.output.log('error', `${this.spec.name} ${what}: ${reason}`);
  }
}

const inWords = ({ code, signal }: Exit): string => signal ?? `code ${code}`;
