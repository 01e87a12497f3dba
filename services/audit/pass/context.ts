import type { Shops } from './shops.ts';
import type { Dossiers } from '../dossier/dossiers.ts';
import type { Report } from '../findings/findings.ts';
import type { RuleCode } from '../findings/rules.ts';
import type { LogEvent } from '../log/log-event.ts';
import type { Rows } from '../rows/rows.ts';

/** An event with what every judge asks of it. */
export type Seen = {
  event: LogEvent;
  /** Epoch milliseconds. */
  atMs: number;
  type: string;
  /** As JSON; its schema is for whoever judges it. */
  data: unknown;
  actor: string;
};

/** What the judges of all kinds of streams share. */
export type Context = {
  dossiers: Dossiers;
  shops: Shops;
  rows: Rows;
  report: Report;
};

/** Reports what is wrong with an event. */
export function accuse(
  { report }: Pick<Context, 'report'>,
  { event }: Pick<Seen, 'event'>,
  { rule, message, shopId }: { rule: RuleCode; message: string; shopId?: string | undefined },
): void {
  const { stream, revision, position } = event;
  report({ rule, stream, revision, position, message, ...(shopId !== undefined && { shopId }) });
}
