/** Shows how far the copy is on stderr: in place on a terminal, else a line from time to time. */
export function createProgress(
  until: () => number,
  out: Pick<NodeJS.WriteStream, 'write' | 'isTTY'> = process.stderr,
) {
  const everyMs = out.isTTY ? 200 : 5_000;
  let first: { at: number; events: number; position: number } | undefined;
  let shownAt = performance.now();
  let inPlace = false;
  const clear = (): void => {
    if (inPlace) out.write('\r\u001B[K');
    inPlace = false;
  };
  return {
    clear,
    update: ({ events, position }: { events: number; position: number }): void => {
      const now = performance.now();
      first ??= { at: now, events, position };
      if (now - shownAt < everyMs) return;
      shownAt = now;
      const seconds = Math.max(0.001, (now - first.at) / 1_000);
      const rate = Math.round((events - first.events) / seconds);
      const end = Math.max(position, until());
      const percent = end === 0 ? 100 : Math.floor((position / end) * 100);
      const perSecond = (position - first.position) / seconds;
      const left = perSecond > 0 ? `, ${time((end - position) / perSecond)} left` : '';
      const text = `${events} events, ${percent} %, ${rate} events/s${left}`;
      clear();
      out.write(out.isTTY ? text : `${text}\n`);
      inPlace = out.isTTY;
    },
  };
}

function time(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
