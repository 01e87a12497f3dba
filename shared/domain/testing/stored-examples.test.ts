import { describe, expect, it } from 'vitest';
import { adjustmentEventSchemas, decodeAdjustmentEvent } from '../adjustment/events.ts';
import { auditEventSchemas, decodeAuditEvent } from '../audit/events.ts';
import {
  decodeDirectoryEvent,
  directoryEventSchemas,
} from '#shared/application/directory/stream.ts';
import { NewerEvent, UnreadableEvent } from '../decode.ts';
import { decodeKeyUseEvent, keyUseEventSchemas } from '../key-use/events.ts';
import { decodeLateEvent, lateEventSchemas } from '../late/events.ts';
import {
  checkpointEventSchemas,
  checkpointKeyEventSchemas,
  checkpointRequestEventSchemas,
  decodeCheckpointEvent,
  decodeCheckpointKeyEvent,
  decodeCheckpointRequest,
} from '../ledger/checkpoints.ts';
import { decodeLedgerEvent, ledgerEventSchemas } from '../ledger/events.ts';
import { decodeMemberEvent, memberEventSchemas } from '../member/events.ts';
import { decodeOperationEvent, operationEventSchemas } from '../operation/events.ts';
import { decodeOperatorEvent, operatorEventSchemas } from '../operator/events.ts';
import {
  decodeErasureEvent,
  decodePersonalKeyEvent,
  erasureEventSchemas,
  personalKeyEventSchemas,
} from '../personal-data/events.ts';
import { decodePayoutBatchEvent, payoutBatchEventSchemas } from '../payout-batch/events.ts';
import { decodeProviderEvent, providerEventSchemas } from '../provider/events.ts';
import { decodeEvidenceEvent, evidenceEventSchemas } from '../evidence/events.ts';
import {
  decodeMerchantEvent,
  decodeShopEvent,
  merchantEventSchemas,
  shopEventSchemas,
} from '../shop/events.ts';
import { decodeLogEvent, logEventSchemas } from '../log/events.ts';
import { storedExamples, type StoredExample } from './stored-examples.ts';
import { decodeStatementEvent, statementEventSchemas } from '../statements/events.ts';
import { asStored } from './as-stored.ts';
import { newestVersion } from '../versions.ts';
import { decodeWebhookCommand, webhookCommandSchemas } from '../webhook/events.ts';

const kinds = {
  log: { schemas: logEventSchemas, decode: decodeLogEvent },
  audit: { schemas: auditEventSchemas, decode: decodeAuditEvent },
  operation: { schemas: operationEventSchemas, decode: decodeOperationEvent },
  merchant: { schemas: merchantEventSchemas, decode: decodeMerchantEvent },
  shop: { schemas: shopEventSchemas, decode: decodeShopEvent },
  personal_key: { schemas: personalKeyEventSchemas, decode: decodePersonalKeyEvent },
  erasure: { schemas: erasureEventSchemas, decode: decodeErasureEvent },
  late: { schemas: lateEventSchemas, decode: decodeLateEvent },
  evidence: { schemas: evidenceEventSchemas, decode: decodeEvidenceEvent },
  directory: { schemas: directoryEventSchemas, decode: decodeDirectoryEvent },
  provider: { schemas: providerEventSchemas, decode: decodeProviderEvent },
  webhook_command: { schemas: webhookCommandSchemas, decode: decodeWebhookCommand },
  key_use: { schemas: keyUseEventSchemas, decode: decodeKeyUseEvent },
  member: { schemas: memberEventSchemas, decode: decodeMemberEvent },
  operator: { schemas: operatorEventSchemas, decode: decodeOperatorEvent },
  adjustment: { schemas: adjustmentEventSchemas, decode: decodeAdjustmentEvent },
  ledger: { schemas: ledgerEventSchemas, decode: decodeLedgerEvent },
  checkpoint: { schemas: checkpointEventSchemas, decode: decodeCheckpointEvent },
  checkpoint_request: { schemas: checkpointRequestEventSchemas, decode: decodeCheckpointRequest },
  checkpoint_key: { schemas: checkpointKeyEventSchemas, decode: decodeCheckpointKeyEvent },
  payout_batch: { schemas: payoutBatchEventSchemas, decode: decodePayoutBatchEvent },
  statement: { schemas: statementEventSchemas, decode: decodeStatementEvent },
} as const;

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])('%s events', (kind) => {
  const { schemas, decode } = kinds[kind];

  it('have a stored example of each version (R17.4)', () => {
    const examples = new Set(
      storedExamples[kind].map((each) => `${each.type} ${each.schema_version}`),
    );
    const written = Object.keys(schemas).flatMap((type) =>
      Array.from({ length: newestVersion(type) }, (_, index) => `${type} ${index + 1}`),
    );
    expect([...examples].toSorted()).toEqual(written.toSorted());
  });

  it.each<StoredExample>(storedExamples[kind])(
    'are decoded without loss: $type, version $schema_version',
    ({ type, data, schema_version, read = data }) => {
      // A field that the schema lacks would be lost to each fold of the stream.
      expect(decode({ type, data, metadata: { schema_version } })).toEqual({ type, data: read });
    },
  );

  it.each<StoredExample>(storedExamples[kind])(
    'are rejected in an unknown version, and without one: $type',
    ({ type, data }) => {
      const read = (schema_version: unknown) => () =>
        decode({ type, data, metadata: { schema_version } as { schema_version: number } });
      const newest = newestVersion(type);
      expect(read(newest)).not.toThrow(NewerEvent);
      const message = new RegExp(
        `${type} has version ${newest + 1}, and this program reads none above ${newest}`,
      );
      expect(read(newest + 1)).toThrow(message);
      expect(read(99)).toThrow(NewerEvent);
      for (const invalid of [0, -1, 1.5, '1', null, undefined, NaN])
        expect(read(invalid)).toThrow(UnreadableEvent);
    },
  );

  it('are rejected with an unknown type or shape', () => {
    expect(() => decode(asStored({ type: 'toString', data: {} }))).toThrow(/unknown/);
    for (const { type } of storedExamples[kind])
      expect(() => decode(asStored({ type, data: { nonsense: 1 } }))).toThrow(UnreadableEvent);
  });
});
