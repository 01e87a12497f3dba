import { webhookForms } from './derive.ts';

/** The older forms, the newest first. */
const olderForms = [...new Set(webhookForms.values())]
  .map((form) => form - 1)
  .toSorted((left, right) => right - left);

/** A message as earlier versions recorded it: without the fields of the operation since then. */
export function inOlderForms<T extends { data: object }>(
  message: T,
): { form: number; message: T }[] {
  const { operation } = message.data as { operation?: object };
  if (!operation) return [];
  return olderForms.map((form) => {
    const had = Object.entries(operation).filter(([name]) => (webhookForms.get(name) ?? 0) <= form);
    const data = { ...message.data, operation: Object.fromEntries(had) };
    return { form, message: { ...message, data } };
  });
}
