import { decodeDirectoryEvent } from '#shared/application/directory/stream.ts';
import { decodeAuditEvent } from '#shared/domain/audit/events.ts';
import { decodeKeyUseEvent } from '#shared/domain/key-use/events.ts';
import { decodeLogEvent } from '#shared/domain/log/events.ts';
import { decodeOperatorEvent } from '#shared/domain/operator/events.ts';
import {
  decodeProviderEvent,
  providerStream,
  type ProviderAccountEvent,
} from '#shared/domain/provider/events.ts';
import { decodePayoutBatchEvent, streamOfBatchEvent } from '#shared/domain/payout-batch/events.ts';
import { decodeStatementEvent, statementStream } from '#shared/domain/statements/events.ts';
import { decodeWebhookCommand } from '#shared/domain/webhook/events.ts';
import {
  createFlag,
  judgeStream,
  type EventEnvelope,
} from '../../report/findings/report-violation.ts';
import { judgeSealedFile } from '../personal/judge-personal.ts';
import type { AuditContext } from './context.ts';
import type { Shops } from './shops.ts';

/** An announced key must be the one that its shop has: by its hash, a request finds the shop. */
function whyNotIssued(
  { keys }: NonNullable<ReturnType<Shops['find']>>,
  { key_id: id, key_hash: hash }: { key_id: string; key_hash: string },
): string | undefined {
  const issued = keys.get(id);
  if (!issued) return `key ${id} is announced but was never issued`;
  return issued.hash === hash ? undefined : `key ${id} is announced with the hash of another`;
}

/** Why an event can't be of its provider account, which is added once, and first. */
function createAccountOrder() {
  const accounts = new Set<string>();
  return ({ type, data }: ProviderAccountEvent): string | undefined => {
    const name = `${data.provider}/${data.account}`;
    const isAdded = accounts.has(name);
    accounts.add(name);
    if (type === 'ProviderAccountAdded')
      return isAdded ? `account ${name} is added twice` : undefined;
    return isAdded ? undefined : `${type} of account ${name}, which is not there`;
  };
}

/** The streams without money: they must be readable and in order. */
export function createSetupStreams() {
  const tokens = new Set<string>();
  const whyNotAccount = createAccountOrder();
  return {
    operators: (context: AuditContext, envelope: EventEnvelope): void => {
      const { type, data } = decodeOperatorEvent(envelope);
      const isIssued = tokens.has(data.token_id);
      const flag = createFlag(context, envelope);
      if (type === 'AdminTokenIssued' && isIssued)
        flag('setup.order', `token ${data.token_id} is issued twice`);
      if (type === 'AdminTokenRevoked' && !isIssued)
        flag('setup.order', `token ${data.token_id} is revoked but was never issued`);
      tokens.add(data.token_id);
    },
    webhookCommands: (_context: AuditContext, envelope: EventEnvelope): void =>
      void decodeWebhookCommand(envelope),
    directory: (context: AuditContext, envelope: EventEnvelope): void => {
      const event = decodeDirectoryEvent(envelope);
      if (event.type !== 'SetupChanged') {
        const { actor, atMs } = envelope;
        if ('account' in event.data) {
          const account = event as ProviderAccountEvent;
          createFlag(context, envelope)('setup.order', whyNotAccount(account));
          const createdIso = new Date(atMs).toISOString();
          context.reports.takeAccount(account, { createdIso, actor });
        }
        return context.switches.take(event, atMs);
      }
      const { shop_id: shopId, shop_revision: revision, api_key: key } = event.data;
      const shop = context.shops.find(shopId);
      const flag = createFlag(context, envelope, shopId);
      if (!shop)
        flag('setup.order', `a change of shop ${shopId}, which is not there, is announced`);
      else if (revision > shop.revision)
        flag('setup.order', `revision ${revision} is announced, and the shop has ${shop.revision}`);
      else if (key) flag('setup.order', whyNotIssued(shop, key));
    },
    provider: (context: AuditContext, envelope: EventEnvelope): void => {
      const event = decodeProviderEvent(envelope);
      judgeStream(context, envelope, providerStream(event.data.provider));
      context.skips.breaker(event, envelope.atMs);
    },
    providerStatement: (context: AuditContext, envelope: EventEnvelope): void => {
      const stream = statementStream(decodeStatementEvent(envelope).data);
      if (!judgeStream(context, envelope, stream)) return;
      context.providerStatements.take(context, envelope);
      context.rows.providerStatement?.(envelope);
    },
    payoutBatch: (context: AuditContext, envelope: EventEnvelope): void => {
      const event = decodePayoutBatchEvent(envelope);
      if (!judgeStream(context, envelope, streamOfBatchEvent(event), event.data.shop_id)) return;
      context.payoutFiles.take(context, envelope, event);
      context.fileContent.take(context, envelope, event);
      judgeSealedFile(context, envelope, event);
      if (event.type !== 'PayoutBatchRowsStored') context.rows.payoutBatch?.(event, envelope);
    },
    keyUse: (_context: AuditContext, envelope: EventEnvelope): void =>
      void decodeKeyUseEvent(envelope),
    log: (_context: AuditContext, envelope: EventEnvelope): void => void decodeLogEvent(envelope),
    audit: (_context: AuditContext, envelope: EventEnvelope): void =>
      void decodeAuditEvent(envelope),
  };
}
