import type { Dossiers } from '../dossier/dossiers.ts';
import type { Seen } from '../findings/accuse.ts';

/**
 * Whose books an event is about, once its judge has taken it into its dossier; undefined if it is
 * nobody's.
 */
export function shopOf({ event: { stream }, data }: Seen, dossiers: Dossiers): string | undefined {
  const { shop_id: given } = (data ?? {}) as { shop_id?: unknown };
  if (typeof given === 'string') return given;
  const hyphen = stream.indexOf('-');
  const id = stream.slice(hyphen + 1);
  switch (stream.slice(0, hyphen)) {
    case 'shop':
    case 'members':
      return id;
    case 'adjustment':
      return dossiers.of(stream).adjustment?.shopId;
    case 'operation':
    case 'late':
    case 'receipts':
      return dossiers.of(id).shopId;
    default:
      return undefined;
  }
}

/** Whether it is of an operation that was admitted by the rules of today. */
export function isOfToday({ event: { stream } }: Seen, dossiers: Dossiers): boolean {
  if (!/^(operation|late|receipts)-/.test(stream)) return false;
  const { operation } = dossiers.of(stream.slice(stream.indexOf('-') + 1));
  return operation !== undefined && operation.older !== true;
}
