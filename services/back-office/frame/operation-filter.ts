import { z } from 'zod';
import { common } from '#shared/application/pages/translations.ts';
import { dayEnd, dayStart } from '#shared/application/pages/zone.ts';
import { methodNames } from '#shared/domain/methods/index.ts';
import { operationTypes } from '#shared/domain/operation-type.ts';
import { shownStatuses, type Operation } from '#shared/domain/operation/state.ts';
import { textParameter } from '#shared/platform/http/text-parameter.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import { toChoices, lastFields, select, type View } from './components.ts';
import { statusNames, typeNames } from './names.ts';
import { filterValue } from './filter-value.ts';

/** The filter of a list of operations in the address of its page. */
export const operationFilter = z.object({
  q: filterValue(textParameter),
  type: filterValue(z.enum(operationTypes)),
  status: filterValue(z.enum(['creating', ...shownStatuses])),
  method: filterValue(z.enum(methodNames)),
  returned: filterValue(z.literal('yes')),
  from: filterValue(z.iso.date()),
  to: filterValue(z.iso.date()),
});
type Values = Omit<z.infer<typeof operationFilter>, 'q'>;

/** Days are those of the zone that the page shows its times in. */
export const toOperationFilter = (
  { type, status, method, returned, from, to }: Values,
  zone: string,
) => ({
  type,
  status,
  method,
  returned: returned === 'yes',
  createdFrom: from === undefined ? undefined : dayStart(from, zone),
  createdBefore: to === undefined ? undefined : dayEnd(to, zone),
});

/** The fields by which a list of operations is filtered, and the buttons of their form. */
export function operationFilterFields(
  view: View,
  values: Values,
  statuses: readonly Operation['status'][],
): Html {
  const { t } = view;
  const any = { value: '', text: t(common.any) };
  return html`${select({
    name: 'type',
    label: t(common.type),
    value: values.type,
    choices: [any, ...toChoices(operationTypes, (value) => t(typeNames[value]))],
  })}
  ${select({
    name: 'status',
    label: t(common.status),
    value: values.status,
    choices: [any, ...toChoices(statuses, (value) => t(statusNames[value]))],
  })}
  ${select({
    name: 'method',
    label: t(common.method),
    value: values.method,
    choices: [any, ...toChoices(methodNames)],
  })}
  ${select({
    name: 'returned',
    label: t({ ru: 'Возвраты', en: 'Returns' }),
    value: values.returned,
    choices: [any, { value: 'yes', text: t({ ru: 'С возвратами', en: 'With returned money' }) }],
  })}
  ${lastFields(view, values, '/operations')}`;
}
