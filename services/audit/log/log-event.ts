/** An event of the log as an auditor reads it: its place, its name, and its bytes as they are stored. */
export type LogEvent = {
  /** Commit position: the event's place in the one order of the log. */
  position: number;
  stream: string;
  revision: number;
  /** A UUID in its usual spelling. */
  id: string;
  type: string;
  contentType: string;
  /** When the store took it, in ticks of 100 ns as it wrote them. */
  createdTicks: string;
  data: Buffer;
  metadata: Buffer;
};

/** Epoch milliseconds, as every other reader of the log has them. */
export function createdMsOf({ createdTicks }: Pick<LogEvent, 'createdTicks'>): number {
  const sinceYearOne = createdTicks.length > 4 ? createdTicks.slice(0, -4) : '0';
  return Number(sinceYearOne);
}
