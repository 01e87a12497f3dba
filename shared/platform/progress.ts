/** How far a log is read: events, and positions so far and at the end. */
export type Progress = { events: number; position: number | bigint; until: number | bigint };

const firstLineMs = 5_000;
const everyLineMs = 60_000;

/** Shows progress on stderr: in place on a terminal, else a line after 5 s, then every minute. */
export function createTerminalProgress(name?: string) {
  const { isTTY } = process.stderr;
  let pauseMs = isTTY ? 200 : firstLineMs;
  let first: { at: number; events: number; position: number } | undefined;
  let total = 0;
  let shownAt = performance.now();
  let inPlace = false;
  let wasShown = false;
  const clear = (): void => {
    if (inPlace) process.stderr.write('\r\u001B[K');
    inPlace = false;
  };
  return {
    clear,
    update: ({ events, ...positions }: Progress): void => {
      const now = performance.now();
      const position = Number(positions.position);
      // A rebuild counts the events of each of its rounds from zero.
      total = Math.max(total, events);
      first ??= { at: now, events, position };
      if (now - shownAt < pauseMs) return;
      shownAt = now;
      if (!isTTY) pauseMs = everyLineMs;
      const seconds = Math.max(0.001, (now - first.at) / 1_000);
      const rate = Math.round((total - first.events) / seconds);
      const end = Math.max(position, Number(positions.until));
      const percent = end === 0 ? 100 : Math.floor((position / end) * 100);
      const perSecond = (position - first.position) / seconds;
      const left = perSecond > 0 ? `, ${time((end - position) / perSecond)} left` : '';
      const text = `${percent} %, ${total} events, ${rate} events/s${left}`;
      clear();
      process.stderr.write(`${name === undefined ? '' : `${name}: `}${text}${isTTY ? '' : '\n'}`);
      inPlace = isTTY;
      wasShown = true;
    },
    /** What comes after the log is read, if that took long enough to be shown. */
    note: (text: string): void => {
      clear();
      if (wasShown) process.stderr.write(`${name === undefined ? '' : `${name}: `}${text}\n`);
    },
  };
}

function time(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
