import type { Hono } from 'hono';
import { pairs } from '../../frame/components.ts';
import { faultsOf, fieldOf, sayFaults, type Faults, type Field } from '../../frame/form-fields.ts';
import type { PageStatus } from '../../frame/problem-page.ts';
import { common } from '#shared/application/pages/translations.ts';
import { Problem, problems } from '#shared/platform/http/problems.ts';
import { newId } from '#shared/platform/ids.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import { checkFormToken, type Values } from '#shared/platform/sessions/form.ts';
import {
  mayAct,
  originOf,
  viewOf,
  type Portal,
  type PortalContext,
  type PortalEnv,
} from '../env.ts';
import { sections, show, type Content } from '../frame.ts';
import { formToken } from '../../frame/pages.ts';
import { problemFrom } from '../../frame/site.ts';
import { requireSessionStill } from '../session/require.ts';
import type { Act, Given, Prepared } from './action.ts';

/** An act's page, and its form; afterwards (303) a page that says that it was done. */
export function registerAct(app: Hono<PortalEnv>, portal: Portal, act: Act): void {
  app.get(act.path, async (c) => {
    const given = givenBy(c);
    if (!mayAct(given.session)) throw new Problem('forbidden');
    const prepared = await act.prepare(portal, given);
    return show(c, portal, actPage(act, { given, prepared, values: {} }));
  });

  app.post(act.path, async (c) => {
    const values = c.get('form');
    if (values === undefined) throw new Problem('content_type_unsupported');
    await requireSessionStill(c, portal);
    const given = givenBy(c);
    checkFormToken(given.session, values);
    const prepared = await act.prepare(portal, given);
    if (prepared.nothing) return show(c, portal, actPage(act, { given, prepared, values }));
    try {
      const run = () => perform(c, { portal, act, given, values });
      return c.redirect(await portal.once(given.session, values['once'], run), 303);
    } catch (error) {
      const problem = problemFrom(c, portal, error);
      const status = problems[problem.code].status as PageStatus;
      const faults = faultsOf(problem, { requestId: c.get('requestId') });
      for (const [name, value] of Object.entries(problem.headers)) c.header(name, value);
      return show(c, portal, { ...actPage(act, { given, prepared, values, faults }), status });
    }
  });
}

const givenBy = (c: PortalContext): Given => ({
  params: c.req.param() as Given['params'],
  query: c.req.query(),
  view: viewOf(c),
  session: c.get('session'),
  origin: originOf(c),
});

async function perform(
  c: PortalContext,
  { portal, act, given, values }: { portal: Portal; act: Act; given: Given; values: Values },
): Promise<string> {
  const outcome = await act.run(portal, { ...given, values });
  const { secret, done = act.done, next = backOf(act, given) } = outcome ?? {};
  const { t } = given.view;
  await portal.sessions.keepNotice(given.session, {
    done: t(done),
    ...(secret && { secret: { label: t(secret.label), value: secret.value } }),
  });
  return next;
}

/** A switch that was turned off is not sent. */
const valueOf = ({ name, kind, value = '' }: Field, values: Values, faults: Faults | undefined) =>
  values[name] ?? (faults && kind === 'switch' ? '' : value);

const backOf = ({ back }: Act, { params }: Given): string =>
  typeof back === 'string' ? back : back(params);

type Shown = { given: Given; prepared: Prepared; values: Values; faults?: Faults | undefined };

function actPage(act: Act, { given, prepared, values, faults }: Shown): Content {
  const { title, explain, section } = act;
  const { about = [], fields = [], nothing } = prepared;
  const { view } = given;
  const { t } = view;
  const { path, name } = sections[section];
  return {
    title: t(title),
    section,
    trail: [{ href: path, text: t(name) }],
    body: html`<div class="action">
      <div class="stack">
        <h1>${t(title)}</h1>
        <p class="muted measure">${t(explain)}</p>
        ${faults ? sayFaults(view, fields, faults) : ''}
        ${about.length > 0 ? pairs(about, 'pairs about') : ''}
        ${nothing ? html`<div class="empty">${t(nothing)}</div>` : formOf(act, { given, values, faults }, fields)}
      </div>
    </div>`,
  };
}

function formOf(
  act: Act,
  { given, values, faults }: Omit<Shown, 'prepared'>,
  fields: readonly Field[],
): Html {
  const { view } = given;
  const { t } = view;
  const here = new URL(view.preferences.path, 'http://page');
  return html`<form class="card stack" method="post" action="${here.pathname}${here.search}">
    ${formToken(view)} <input type="hidden" name="once" value="${newId()}" />
    ${fields.map((field) => fieldOf(view, field, { value: valueOf(field, values, faults), faults }))}
    <div class="row">
      <button class="button ${act.danger ? 'danger' : 'primary'}" type="submit">
        ${t(act.button)}</button
      ><a class="button quiet" href="${backOf(act, given)}">${t(common.cancel)}</a>
    </div>
  </form>`;
}
