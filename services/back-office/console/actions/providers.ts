import { directoryStream } from '#shared/application/directory/stream.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { knownProvider } from '../../api/providers/routes.ts';
import { switchBody } from '../../api/providers/switch.ts';
import { common } from '#shared/application/pages/translations.ts';
import { trimmedValue } from '#shared/platform/sessions/form.ts';
import type { Action } from './action.ts';

const shared: Pick<Action, 'prepare' | 'body' | 'check' | 'streams'> = {
  prepare: async ({ providers }, { params, view: { t } }) => {
    const provider = knownProvider(providers, params['provider']);
    return {
      about: [[t(common.provider), provider]],
      fields: [
        {
          name: 'reason',
          label: common.reason,
          hint: {
            ru: 'Сохраняется в журнале событий, видна на странице провайдеров.',
            en: 'It is stored in the event log, and shown on the providers page.',
          },
          kind: 'long',
        },
      ],
    };
  },
  body: (values) => ({ reason: trimmedValue(values, 'reason') }),
  check: (_, body) => void validate(switchBody, body),
  streams: () => [directoryStream],
};

export const switchOff: Action = {
  ...shared,
  path: '/providers/:provider/switch-off',
  route: 'POST /admin/v1/providers/:provider/switch-off',
  title: { ru: 'Выключить провайдера', en: 'Switch the provider off' },
  explain: {
    ru: 'Новые операции всех магазинов пойдут мимо него, к следующему подходящему маршруту; где другого нет, они будут отклонены. Операции, которые уже у провайдера, продолжаются.',
    en: 'New operations of all shops skip this provider and go to the next suitable route; if there is none, they are declined. Operations that the provider already has continue.',
  },
  button: common.switchOff,
  danger: true,
  done: { ru: 'Провайдер выключен.', en: 'The provider is switched off.' },
};

export const switchOn: Action = {
  ...shared,
  path: '/providers/:provider/switch-on',
  route: 'POST /admin/v1/providers/:provider/switch-on',
  title: { ru: 'Включить провайдера', en: 'Switch the provider on' },
  explain: {
    ru: 'Новые операции снова пойдут к нему по маршрутам магазинов.',
    en: 'New operations are sent to this provider again, according to the shops’ routes.',
  },
  button: common.switchOn,
  done: { ru: 'Провайдер включён.', en: 'The provider is switched on.' },
};
