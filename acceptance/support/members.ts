import type { Json } from './answer.ts';
import { apiDocument } from './http.ts';
import { operationFaults, type Facts, type Source } from './operation.ts';

const documented: Readonly<Record<Exclude<Source, 'admin'>, readonly string[]>> = {
  create: apiDocument.membersIn('Operation'),
  link: apiDocument.membersIn('OperationWithLink'),
  confirm: apiDocument.membersIn('Operation'),
  state: apiDocument.membersIn('OperationState'),
  webhook: apiDocument.membersIn('Webhook', 'data', 'operation'),
};

/** `operationFaults`, and the members that openapi.json does not describe there. */
export function documentedFaults(view: Json, facts: Facts, source: Source): string[] {
  const members = source === 'admin' ? [] : Object.keys(view);
  return [
    ...members
      .filter((name) => source !== 'admin' && !documented[source].includes(name))
      .map((name) => `${name} is a field of an operation`),
    ...operationFaults(view, facts, source),
  ];
}
