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
  data: Buffer;
  metadata: Buffer;
};

/** Epoch milliseconds. */
export function createdMsOf({ createdTicks }: Pick<RawEvent, 'createdTicks'>): number {
  return createdTicks.length > 4 ? Number(createdTicks.slice(0, -4)) : 0;
}
