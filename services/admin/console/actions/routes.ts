import { exampleMethod } from '#shared/domain/methods/index.ts';
import { routeSchema } from '#shared/domain/routing.ts';
import { invalidRequest, validate } from '#shared/platform/http/validate.ts';
import { html } from '#shared/platform/pages/index.ts';
import { routesBody, routesRules } from '../../api/setup/bodies.ts';
import { json } from '../components.ts';
import type { Action } from './action.ts';
import { prepareShop, shopStreams } from './shop.ts';

const example = {
  type: 'payment',
  method: exampleMethod,
  currency: 'RUB',
  provider: 'sandbox',
  priority: 1,
  requires_receipt: false,
  commission: { percent: '2.50', fixed: '0.00' },
};

export const replaceRoutes: Action = {
  path: '/shops/:shop_id/routes/edit',
  route: 'PUT /admin/v1/shops/:shop_id/routes',
  section: 'shops',
  title: { ru: 'Маршруты', en: 'Routes' },
  explain: {
    ru: 'Список заменяет все маршруты магазина. Маршруты одного метода пробуются по приоритету, начиная с меньшего.',
    en: 'The list replaces all routes of the shop. Routes of one method are tried by priority, lowest number first.',
  },
  button: { ru: 'Заменить маршруты', en: 'Replace the routes' },
  done: { ru: 'Маршруты заменены.', en: 'The routes are replaced.' },
  prepare: (console, given) =>
    prepareShop(console, given, (shop) => ({
      fields: [
        {
          name: 'routes',
          label: { ru: 'Маршруты, JSON', en: 'Routes, as JSON' },
          hint: {
            ru: 'Массив объектов. Поля и пример показаны рядом.',
            en: 'An array of objects. The fields and an example are shown beside it.',
          },
          kind: 'json',
          value: JSON.stringify(shop.routes, null, 2),
        },
      ],
      aside: help(given.view.t, console.providers),
    })),
  body: ({ routes = '' }) => ({ routes: parseJson(routes) }),
  check: ({ providers }, body) => void validate(routesBody, body, routesRules(providers)),
  streams: shopStreams,
};

/** @throws Problem invalid_request, with the line and column where the text stops being JSON */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const detail = placed(error instanceof Error ? error.message : 'not JSON', text);
    throw invalidRequest([{ pointer: '/routes', code: 'invalid_json', detail }]);
  }
}

function placed(message: string, text: string): string {
  const [, place] = /position (\d+)/.exec(message) ?? [];
  if (place === undefined || /line \d+/.test(message)) return message;
  const before = text.slice(0, Number(place)).split('\n');
  return `${message} (line ${before.length} column ${(before.at(-1) ?? '').length + 1})`;
}

function help(t: (words: { ru: string; en: string }) => string, providers: readonly string[]) {
  const members = Object.keys(routeSchema.shape);
  const title = t({ ru: 'Пример маршрута', en: 'Example route' });
  return html`<section class="card stack">
    <h2>${title}</h2>
    ${json(example, title)}
    <p class="small">
      ${t({ ru: 'Поля', en: 'Fields' })}:
      ${members.map((name, index) => html`${index > 0 ? ', ' : ''}<code>${name}</code>`)}.
    </p>
    <p class="small">
      ${t({ ru: 'Провайдеры', en: 'Providers' })}:
      ${providers.map((name, index) => html`${index > 0 ? ', ' : ''}<code>${name}</code>`)}.
    </p>
  </section>`;
}
