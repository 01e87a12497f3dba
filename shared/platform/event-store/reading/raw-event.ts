/** An event of the log, with its content as stored bytes. */
export type RawEvent = {
  /** Commit position: the event's place in the log. */
  position: number;
  stream: string;
  revision: number;
  /** A UUID as text. */
  id: string;
  type: string;
  contentType: string;
  /** When the store took it, in ticks of 100 ns since the epoch, as the store wrote them. */
  createdTicks: string;
  /**
   * When this store took it, if the event itself names the time in `createdTicks`: in a copy of
   * another log.
   */
  storeTicks?: string;
  data: Buffer;
  metadata: Buffer;
};

/** Epoch milliseconds. */
export const createdMs = ({ createdTicks }: Pick<RawEvent, 'createdTicks'>): number =>
  millisecondsIn(createdTicks);

export const millisecondsIn = (ticks: string): number =>
  ticks.length > 4 ? Number(ticks.slice(0, -4)) : 0;
