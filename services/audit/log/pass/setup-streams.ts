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
import { reportViolation, type EventEnvelope } from '../../report/findings/report-violation.ts';
import { judgeSealedRows } from '../personal/judge-personal.ts';
import type { Context } from './context.ts';

/** The streams without money: they must be readable and in order. */
export function createSetupStreams() {
  const tokens = new Set<string>();
  return {
    operators: (context: Context, envelope: EventEnvelope): void => {
      const { type, data } = decodeOperatorEvent(envelope);
      const isIssued = tokens.has(data.token_id);
      const flag = (message: string) =>
        reportViolation(context, envelope, { rule: 'setup.order', message });
      if (type === 'AdminTokenIssued' && isIssued) flag(`token ${data.token_id} is issued twice`);
      if (type === 'AdminTokenRevoked' && !isIssued)
        flag(`token ${data.token_id} is revoked but was never issued`);
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
      const flag = (message: string) =>
        reportViolation(context, envelope, { rule: 'setup.order', message, shopId });
      if (!shop) flag(`a change of shop ${shopId}, which is not there, is announced`);
      else if (key && !shop.keys.has(key.key_id))
        flag(`key ${key.key_id} is announced but was never issued`);
    },
    provider: (context: Context, envelope: EventEnvelope): void => {
      const { data } = decodeProviderEvent(envelope);
      const stream = providerStream(data.provider);
      if (stream !== envelope.event.stream) reportWrongStream(context, envelope, stream);
    },
    providerStatement: (context: Context, envelope: EventEnvelope): void => {
      const stream = statementStream(decodeStatementEvent(envelope).data);
      if (stream !== envelope.event.stream) return reportWrongStream(context, envelope, stream);
      context.providerStatements.take(context, envelope);
      context.rows.providerStatement?.(envelope);
    },
    payoutBatch: (context: Context, envelope: EventEnvelope): void => {
      const event = decodePayoutBatchEvent(envelope);
      const stream = streamOfBatchEvent(event);
      if (stream !== envelope.event.stream)
        return reportWrongStream(context, envelope, stream, event.data.shop_id);
      context.payoutFiles.take(context, envelope, event);
      if (event.type === 'PayoutBatchRowsStored') judgeSealedRows(context, envelope, event.data);
      else context.rows.payoutBatch?.(event, envelope);
    },
    keyUse: (_context: Context, envelope: EventEnvelope): void => void decodeKeyUseEvent(envelope),
    log: (_context: Context, envelope: EventEnvelope): void => void decodeLogEvent(envelope),
    audit: (_context: Context, envelope: EventEnvelope): void => void decodeAuditEvent(envelope),
  };
}

function reportWrongStream(
  context: Context,
  envelope: EventEnvelope,
  stream: string,
  shopId?: string,
): void {
  const message = `it belongs to ${stream}`;
  reportViolation(context, envelope, { rule: 'log.wrong_stream', message, shopId });
}
