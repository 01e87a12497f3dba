import { z } from 'zod';
import {
  messageStatuses,
  type MessageStatus,
} from '#shared/application/webhooks/database/tables.ts';
import { webhookTypes } from '#shared/domain/webhook/types.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import { toChoices, input, lastFields, select, type View } from './components.ts';
import { messageStatusNames } from './names.ts';
import { filterValue } from './filter-value.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { dayEnd, dayStart } from '#shared/application/pages/zone.ts';

const schema = z.object({
  type: filterValue(z.enum(webhookTypes)),
  status: filterValue(z.enum(messageStatuses)),
  endpoint: filterValue(z.guid().toLowerCase()),
  operation_id: filterValue(z.guid().toLowerCase()),
  from: filterValue(z.iso.date()),
  to: filterValue(z.iso.date()),
});

export type DeliveryFilter = z.infer<typeof schema>;

/** The filter of webhooks in a page's address, or in a form that carries it. */
export const readDeliveryFilter = (query: Readonly<Record<string, unknown>>): DeliveryFilter =>
  schema.parse(query);

type DeliveryCriteria = {
  type: string | undefined;
  status: MessageStatus | undefined;
  endpointId: string | undefined;
  operationId: string | undefined;
  from: Date | undefined;
  to: Date | undefined;
};

/** Days are in the zone of the page's times. */
export const toMessageFilter = (
  { type, status, endpoint, operation_id: operationId, from, to }: DeliveryFilter,
  zone = 'UTC',
): DeliveryCriteria => ({
  type,
  status,
  endpointId: endpoint,
  operationId,
  from: from === undefined ? undefined : dayStart(from, zone),
  to: to === undefined ? undefined : dayEnd(to, zone),
});

/**
 * The messages to send again: those of the list; of a list of every status, those that were given
 * up.
 */
export const resentFilter = <F extends { status?: MessageStatus | undefined }>(filter: F) => ({
  ...filter,
  status: filter.status ?? 'exhausted',
});

/** The filter as an address has it. */
export const deliveryQuery = (filter: DeliveryFilter & { cursor?: string }): string =>
  new URLSearchParams(
    Object.entries(filter).filter((entry): entry is [string, string] => Boolean(entry[1])),
  ).toString();

export const deliveryWords = {
  type: { ru: 'Тип события', en: 'Event type' },
  matching: { ru: 'Вебхуков', en: 'Webhooks' },
  more: { ru: 'больше 2000', en: 'more than 2,000' },
  resendShown: { ru: 'Отправить показанные снова', en: 'Resend what is shown' },
  resendExhausted: { ru: 'Отправить недоставленные снова', en: 'Resend exhausted' },
  operation: common.operationId,
  noneMatches: { ru: 'Таких доставок нет.', en: 'No delivery matches the filter.' },
} as const satisfies Record<string, Words>;

type Endpoints = readonly { endpointId: string; url: string }[];

/** Whether a list shows fewer webhooks than all. */
export const isNarrowed = (filter: DeliveryFilter): boolean => deliveryQuery(filter) !== '';

/** The fields by which webhooks are filtered, and the buttons of their form. */
export function deliveryFields(
  view: View,
  filter: DeliveryFilter,
  { endpoints, reset }: { endpoints: Endpoints; reset: string },
): Html {
  const { t } = view;
  const any = { value: '', text: t(common.any) };
  const urls = endpoints.map(({ endpointId: value, url: text }) => ({ value, text }));
  const statuses = toChoices(messageStatuses, (value) => t(messageStatusNames[value]));
  return html`${select({
    name: 'type',
    label: t(deliveryWords.type),
    value: filter.type,
    choices: [any, ...toChoices(webhookTypes)],
  })}
  ${select({ name: 'status', label: t(common.status), value: filter.status, choices: [any, ...statuses] })}
  ${urls.length > 1 && select({ name: 'endpoint', label: t(common.endpoint), value: filter.endpoint, choices: [any, ...urls] })}
  ${input({ name: 'operation_id', label: t(deliveryWords.operation), value: filter.operation_id })}
  ${lastFields(view, filter, reset)}`;
}
