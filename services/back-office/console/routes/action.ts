import { readTargets, routesBody, routesRules } from '../../api/setup/bodies.ts';
import { readPathId, readShop } from '#shared/application/directory/command-shop.ts';
import { hashRoutes } from '#shared/application/shops/routes-version.ts';
import { routeSchema } from '#shared/domain/routing.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { routeChanges } from './difference.ts';
import { estimated } from './estimate-view.ts';
import { routesForm } from './form.ts';
import { routeTexts as texts } from './texts.ts';
import { readOriginalIndexes, readRoutesForm } from './values.ts';
import type { Action } from '../actions/action.ts';
import { prepareShop, shopStreams } from '../actions/shop.ts';

export const replaceRoutesAction: Action = {
  path: '/shops/:shop_id/routes/edit',
  route: 'PUT /admin/v1/shops/:shop_id/routes',
  title: texts.routes,
  explain: {
    ru: 'Список заменяет все маршруты магазина. Маршруты одного метода пробуются по приоритету, начиная с меньшего. Операции, которые уже начаты, сохраняют условия своего маршрута.',
    en: 'The list replaces all routes of the shop. Routes for the same method are tried by priority, lowest number first. Operations in progress keep the terms of their route.',
  },
  button: { ru: 'Заменить маршруты', en: 'Replace the routes' },
  done: { ru: 'Маршруты заменены.', en: 'The routes are replaced.' },
  prepare: async (console, input) => {
    const targets = await readTargets(console);
    return prepareShop(console, input, ({ routes }) => ({
      form: routesForm(input.view, { routes, ...targets }),
    }));
  },
  // The command refuses routes based on others than the shop has then.
  body: (values) => ({ routes: readRoutesForm(values), replaces: values['seen'] ?? '' }),
  check: async (console, body) =>
    void validate(routesBody, body, routesRules(await readTargets(console))),
  outcome: async (console, { params, view, body, values }) => {
    const { store } = console;
    const shopId = readPathId(params['shop_id']);
    const { routes: before } = await readShop(store, shopId);
    const rules = routesRules(await readTargets(console));
    const { routes, replaces } = validate(routesBody, body, rules);
    const after = routes.map((route) => routeSchema.parse(route));
    if (replaces !== hashRoutes(before)) throw new Problem('routes_changed');
    const changes = routeChanges(view.language, {
      before,
      after,
      origins: readOriginalIndexes(values),
    });
    if (changes.length === 0) return [[view.t(texts.routes), view.t(texts.same)]];
    const changePairs = changes.map(({ what, text }): [string, string] => [what, text]);
    return [...changePairs, await estimated(console, view, { shopId, before, after })];
  },
  streams: shopStreams,
};
