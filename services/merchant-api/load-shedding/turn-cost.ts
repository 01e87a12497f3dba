const sampleEveryMs = 10;
/** Weight of the newest sample, so that a single garbage collection does not count as overload. */
const weight = 0.2;
/** The timer stops when nothing has used it for this long: an idle process should not wake up. */
const restAfterSamples = 100;

/**
 * Measures what a turn of the event loop costs: the CPU time of this thread between two timers that
 * are 10 ms apart, or a turn where a turn takes longer. It is CPU time because the time on the
 * clock also grows when other processes use the machine.
 */
export class TurnCost {
  readonly #observe: (cpuMs: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #usedMs = 0;
  #smoothedMs = 0;
  #unusedFor = 0;

  /** `observe` gets each sample, smoothed. */
  constructor(observe: (cpuMs: number) => void) {
    this.#observe = observe;
  }

  /** Measures for the next second at least. */
  keepMeasuring(): void {
    this.#unusedFor = 0;
    if (this.#timer) return;
    this.#usedMs = cpuMs();
    this.#smoothedMs = 0;
    this.#timer = setInterval(() => this.#sample(), sampleEveryMs).unref();
  }

  #sample(): void {
    const now = cpuMs();
    this.#smoothedMs += (now - this.#usedMs - this.#smoothedMs) * weight;
    this.#usedMs = now;
    this.#observe(this.#smoothedMs);
    this.#unusedFor += 1;
    if (this.#unusedFor < restAfterSamples) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
