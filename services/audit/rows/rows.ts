import type { decodeLateEvent } from '#shared/domain/late/events.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import type { Evidence } from '#shared/domain/receipts/events.ts';
import type { Dossier } from '../dossier/dossier.ts';
import type { OperationFacts } from '../operation/fold.ts';
import type { Seen } from '../findings/accuse.ts';
import type { PostedEntry } from './ledger-rows.ts';

/** Called with everything that has a row in some table. */
export type Rows = {
  /** For streams with operators' commands: each event after it was checked. */
  command(seen: Seen): void;
  /** For the streams of providers' statements. */
  statement(seen: Seen): void;
  merchant(seen: Seen): void;
  shop(shopId: string, seen: Seen): void;
  /** Called before `operation`, while the dossier shows the state before the event. */
  beforeOperation(dossier: Dossier, seen: Seen): void;
  operation(dossier: Dossier, given: { event: OperationEvent; seen: Seen }): void;
  message(facts: OperationFacts, seen: Seen, message: () => object): void;
  entry(posted: PostedEntry, dossier: Dossier | undefined): void;
  late(dossier: Dossier, given: { event: ReturnType<typeof decodeLateEvent>; seen: Seen }): void;
  evidence(dossier: Dossier, given: { data: Evidence; seen: Seen }): void;
  /** `atRest`: nothing more is expected, so the rows are final unless a forbidden event comes. */
  putAside(dossier: Dossier, atRest: boolean): void;
};

const nothing = () => undefined;

/** For an audit of the log alone. */
export const noRows: Rows = {
  command: nothing,
  statement: nothing,
  merchant: nothing,
  shop: nothing,
  beforeOperation: nothing,
  operation: nothing,
  message: nothing,
  entry: nothing,
  late: nothing,
  evidence: nothing,
  putAside: nothing,
};
