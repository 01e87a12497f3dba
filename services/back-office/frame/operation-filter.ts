import { methodNames } from '#shared/domain/methods/index.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import { input, select, type View } from './components.ts';
import { statusNames, typeNames } from './names.ts';
import { common } from '#shared/application/pages/translations.ts';

type FilterValues = Readonly<
  Partial<Record<'type' | 'status' | 'method' | 'returned' | 'from' | 'to', string | undefined>>
>;

/** The fields by which a list of operations is filtered, and the buttons of their form. */
export function operationFields(
  { t }: View,
  values: FilterValues,
  statuses: readonly Operation['status'][],
): Html {
  const any = { value: '', text: t(common.any) };
  const types = ['payment', 'payout'] as const;
  return html`${select({
      name: 'type',
      label: t(common.type),
      value: values.type,
      choices: [any, ...types.map((value) => ({ value, text: t(typeNames[value]) }))],
    })}
    ${select({
      name: 'status',
      label: t(common.status),
      value: values.status,
      choices: [any, ...statuses.map((value) => ({ value, text: t(statusNames[value]) }))],
    })}
    ${select({
      name: 'method',
      label: t(common.method),
      value: values.method,
      choices: [any, ...methodNames.map((value) => ({ value, text: value }))],
    })}
    ${select({
      name: 'returned',
      label: t({ ru: 'Возвраты', en: 'Returns' }),
      value: values.returned,
      choices: [any, { value: 'yes', text: t({ ru: 'с возвратами', en: 'with returned money' }) }],
    })}
    ${input({ name: 'from', label: t(common.from), value: values.from, type: 'date' })}
    ${input({ name: 'to', label: t(common.to), value: values.to, type: 'date' })}
    <div class="row">
      <button class="button" type="submit">${t(common.show)}</button
      ><a class="button quiet" href="/operations">${t(common.reset)}</a>
    </div>`;
}
