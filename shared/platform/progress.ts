/** How far a log is read: events, and positions so far and at the end. */
export type Progress = { events: number; position: number | bigint; until: number | bigint };

/** Shows progress on stderr: in place on a terminal, else a line from time to time. */
export function createProgress(name?: string) {
  const { isTTY } = process.stderr;
  const everyMs = isTTY ? 200 : 5_000;
  let first: { at: number; events: number; position: number } | undefined;
  let total = 0;
  let shownAt = performance.now();
  let inPlace = false;
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
      if (now - shownAt < everyMs) return;
      shownAt = now;
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
    },
  };
}

function time(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
