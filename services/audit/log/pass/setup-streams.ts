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
import { judgeSealedRows } from '../personal/judge-personal.ts';
import type { Context } from './context.ts';

/** The streams without money: they must be readable and in order. */
export function createSetupStreams() {
  const tokens = new Set<string>();
  return {
    operators: (context: Context, envelope: EventEnvelope): void => {
      const { type, data } = decodeOperatorEvent(envelope);
      const isIssued = tokens.has(data.token_id);
      const flag = createFlag(context, envelope);
      if (type === 'AdminTokenIssued' && isIssued)
        flag('setup.order', `token ${data.token_id} is issued twice`);
      if (type === 'AdminTokenRevoked' && !isIssued)
        flag('setup.order', `token ${data.token_id} is revoked but was never issued`);
      tokens.add(data.token_id);
    },
    webhookCommands: (_context: Context, envelope: EventEnvelope): void =>
      void decodeWebhookCommand(envelope),
    directory: (context: Context, envelope: EventEnvelope): void => {
      const event = decodeDirectoryEvent(envelope);
      if (event.type !== 'SetupChanged') {
        const { actor, atMs } = envelope;
        if ('account' in event.data)
          context.reports.takeAccount(event as ProviderAccountEvent, {
            createdIso: new Date(atMs).toISOString(),
            actor,
          });
        return context.switches.take(event, atMs);
      }
      const { shop_id: shopId, api_key: key } = event.data;
      const shop = context.shops.find(shopId);
      const flag = createFlag(context, envelope, shopId);
      if (!shop)
        flag('setup.order', `a change of shop ${shopId}, which is not there, is announced`);
      else if (key && !shop.keys.has(key.key_id))
        flag('setup.order', `key ${key.key_id} is announced but was never issued`);
    },
    provider: (context: Context, envelope: EventEnvelope): void => {
      const { data } = decodeProviderEvent(envelope);
      judgeStream(context, envelope, providerStream(data.provider));
    },
    providerStatement: (context: Context, envelope: EventEnvelope): void => {
      const stream = statementStream(decodeStatementEvent(envelope).data);
      if (!judgeStream(context, envelope, stream)) return;
      context.providerStatements.take(context, envelope);
      context.rows.providerStatement?.(envelope);
    },
    payoutBatch: (context: Context, envelope: EventEnvelope): void => {
      const event = decodePayoutBatchEvent(envelope);
      if (!judgeStream(context, envelope, streamOfBatchEvent(event), event.data.shop_id)) return;
      context.payoutFiles.take(context, envelope, event);
      if (event.type === 'PayoutBatchRowsStored') judgeSealedRows(context, envelope, event.data);
      else context.rows.payoutBatch?.(event, envelope);
    },
    keyUse: (_context: Context, envelope: EventEnvelope): void => void decodeKeyUseEvent(envelope),
    log: (_context: Context, envelope: EventEnvelope): void => void decodeLogEvent(envelope),
    audit: (_context: Context, envelope: EventEnvelope): void => void decodeAuditEvent(envelope),
  };
}
