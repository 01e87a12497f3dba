import type { EntityStore } from '../entities/entity-store.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';

/** The shop of an event, known after its judge has applied it; undefined if it belongs to none. */
export function findShopId(
  { event: { stream }, data }: EventEnvelope,
  entities: EntityStore,
): string | undefined {
  const { shop_id: shopId } = (data ?? {}) as { shop_id?: unknown };
  if (typeof shopId === 'string') return shopId;
  const hyphen = stream.indexOf('-');
  const id = stream.slice(hyphen + 1);
  switch (stream.slice(0, hyphen)) {
    case 'shop':
    case 'members':
      return id;
    case 'adjustment':
      return entities.of(stream).adjustment?.shopId;
    case 'operation':
    case 'late':
    case 'receipts':
      return entities.of(id).shopId;
    default:
      return undefined;
  }
}

/** Whether it belongs to an operation admitted under today's rules. */
export function isUnderCurrentRules(
  { event: { stream } }: EventEnvelope,
  entities: EntityStore,
): boolean {
  if (!/^(operation|late|receipts)-/.test(stream)) return false;
  const { operation } = entities.of(stream.slice(stream.indexOf('-') + 1));
  return operation !== undefined && operation.older !== true;
}
