import { findLastPaid } from '#projections/operations/last-paid.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import type { FileRow } from '#shared/application/payout-batches/file-rows.ts';
import { storedNumber } from '#shared/domain/methods/index.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { badge, html, type Html } from '#shared/platform/pages/index.ts';
import { count } from '../../frame/components.ts';
import type { PortalReader } from '../access-log.ts';
import type { Portal, PortalView } from '../env.ts';
import { recipientTexts as texts } from './texts.ts';

/** `other`: the last payout to the client went to another number. */
type Mark = 'first' | 'other';

export type Recipients = {
  /** How many rows are for clients that the shop has never paid. */
  firstRows: number;
  /** What is new about a row's recipient. @throws Problem not_ready */
  markOf(row: FileRow): Promise<Mark | undefined>;
};

type Ports = Pick<Portal, 'db' | 'store' | 'personal' | 'accessLog'>;

/**
 * Finds whom the shop has paid before, as far as the lists know (R24.16). Numbers are compared with
 * those in the log, because no list may have them, and the access log has with which payouts.
 * @throws Problem not_ready
 */
export async function readRecipients(
  { db, store, personal, accessLog }: Ports,
  { rows, reader }: { rows: readonly FileRow[]; reader: PortalReader },
): Promise<Recipients> {
  const { shopId } = reader;
  const clientIds = rows.map((row) => row.client_id);
  const lastPaid = await fromDatabase(findLastPaid(db, { shopId, clientIds }));
  return {
    firstRows: rows.filter((row) => !lastPaid.has(row.client_id)).length,
    markOf: async (row) => {
      const operationId = lastPaid.get(row.client_id);
      if (operationId === undefined) return 'first';
      const operation = await fromStore(readOperation(store, operationId));
      const before = operation && (await fromStore(personal.open(operation))).destination;
      const number = (await fromStore(row.open()))?.number;
      if (before === undefined || number === undefined) return undefined;
      accessLog.saw(reader, { operationId, shown: 'operation' });
      return storedNumber(row.method, number) === before.number ? undefined : 'other';
    },
  };
}

export const markedRecipient = (
  { t }: PortalView,
  name: string,
  mark: Mark | undefined,
): Html | string => (mark === undefined ? name : html`${name} ${badge('warning', t(texts[mark]))}`);

/** How many recipients are new, and what the marks mean. */
export const aboutRecipients = (view: PortalView, { firstRows }: Recipients): Html =>
  html`<p class="muted small">
    ${view.t(texts.firstRows).replace('{n}', count(view, firstRows))} ${view.t(texts.marks)}
  </p>`;
