import { describe, expect, it } from 'vitest';
import { adjustmentEventSchemas, decodeAdjustmentEvent } from './adjustment/events.ts';
import { decodeKeyUseEvent, keyUseEventSchemas } from './key-use/events.ts';
import { decodeLateEvent, lateEventSchemas } from './late/events.ts';
import { decodeLedgerEvent, ledgerEventSchemas } from './ledger/events.ts';
import { decodeOperationEvent, operationEventSchemas } from './operation/events.ts';
import { decodeOperatorEvent, operatorEventSchemas } from './operator/events.ts';
import {
  decodeErasureEvent,
  decodePersonalKeyEvent,
  erasureEventSchemas,
  personalKeyEventSchemas,
} from './personal-data/events.ts';
import { decodeEvidenceEvent, evidenceEventSchemas } from './receipts/events.ts';
import {
  decodeMerchantEvent,
  decodeShopEvent,
  merchantEventSchemas,
  shopEventSchemas,
} from './shop/events.ts';
import { storedExamples } from './stored-examples.ts';

const kinds = {
  operation: { schemas: operationEventSchemas, decode: decodeOperationEvent },
  merchant: { schemas: merchantEventSchemas, decode: decodeMerchantEvent },
  shop: { schemas: shopEventSchemas, decode: decodeShopEvent },
  personal_key: { schemas: personalKeyEventSchemas, decode: decodePersonalKeyEvent },
  erasure: { schemas: erasureEventSchemas, decode: decodeErasureEvent },
  late: { schemas: lateEventSchemas, decode: decodeLateEvent },
  evidence: { schemas: evidenceEventSchemas, decode: decodeEvidenceEvent },
  key_use: { schemas: keyUseEventSchemas, decode: decodeKeyUseEvent },
  operator: { schemas: operatorEventSchemas, decode: decodeOperatorEvent },
  adjustment: { schemas: adjustmentEventSchemas, decode: decodeAdjustmentEvent },
  ledger: { schemas: ledgerEventSchemas, decode: decodeLedgerEvent },
} as const;

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])('%s events', (kind) => {
  const { schemas, decode } = kinds[kind];

  it('have a stored example each', () => {
    const types = new Set(storedExamples[kind].map(({ type }) => type));
    expect([...types].toSorted()).toEqual(Object.keys(schemas).toSorted());
  });

  it.each(storedExamples[kind])(
    'are still read as they were written: $type, version $schema_version',
    ({ type, data }) => {
      // Nothing is dropped either: a field that the code forgot would be lost to whoever folds the stream.
      expect(decode({ type, data })).toEqual({ type, data });
    },
  );

  it('are refused when they are of no known type or shape', () => {
    expect(() => decode({ type: 'toString', data: {} })).toThrow(/unknown/);
    for (const { type } of storedExamples[kind])
      expect(() => decode({ type, data: { nonsense: 1 } })).toThrow(/./);
  });
});
