import { formPage, initialValues } from '../../frame/actions/form-page.ts';
import { toFaults, type Faults } from '../../frame/form-fields.ts';
import type { PageStatus } from '../../frame/problem-page.ts';
import { Problem, problems } from '#shared/platform/http/problems.ts';
import { checkFormToken, type Values } from '#shared/platform/sessions/form.ts';
import {
  mayAct,
  memberOrigin,
  portalView,
  type Portal,
  type PortalApp,
  type PortalContext,
} from '../env.ts';
import type { PageContent } from '../../frame/pages.ts';
import { sectionLink } from '../../frame/site-map.ts';
import { show } from '../frame.ts';
import type { PortalSection } from '../page-entry.ts';
import { problemFrom } from '../../frame/site.ts';
import { recheckMemberSession } from '../session/require.ts';
import type { Act, ActRequest, ActContent } from './action.ts';

/** An act, and the section that it is shown in. */
type ActInSection = { act: Act; section: PortalSection };

/** Registers an action's page and form; afterwards (303) a page confirms it. */
export function registerAct(app: PortalApp, portal: Portal, entry: ActInSection): void {
  const { act } = entry;
  app.get(act.path, async (c) => {
    const given = givenBy(c);
    if (!mayAct(given.session)) throw new Problem('forbidden');
    const prepared = await act.prepare(portal, given);
    const values = initialValues(prepared);
    return show(c, portal, await actPage(entry, { given, prepared, values }));
  });

  app.post(act.path, async (c) => {
    const values = c.get('form');
    if (values === undefined) throw new Problem('content_type_unsupported');
    await recheckMemberSession(c, portal);
    const given = givenBy(c);
    checkFormToken(given.session, values);
    const prepared = await act.prepare(portal, given);
    if (prepared.nothing) return show(c, portal, await actPage(entry, { given, prepared, values }));
    try {
      const run = () => perform(c, portal, { ...entry, given, values });
      return c.redirect(await portal.once(given.session, values['once'], run), 303);
    } catch (error) {
      const problem = problemFrom(c, portal, error);
      const status = problems[problem.code].status as PageStatus;
      const faults = toFaults(problem, { requestId: c.get('requestId') });
      const page = await actPage(entry, { given, prepared, values, faults });
      return show(c, portal, { ...page, status, headers: problem.headers });
    }
  });
}

const givenBy = (c: PortalContext): ActRequest => ({
  params: c.req.param() as ActRequest['params'],
  query: c.req.query(),
  view: portalView(c),
  session: c.get('session'),
  origin: memberOrigin(c),
});

async function perform(
  c: PortalContext,
  portal: Portal,
  { given, values, ...entry }: ActInSection & { given: ActRequest; values: Values },
): Promise<string> {
  const { act } = entry;
  const outcome = await act.run(portal, { ...given, values });
  const { secret, done = act.done, next = backPath(entry, given) } = outcome ?? {};
  const { t } = given.view;
  await portal.sessions.storeNotice(given.session, {
    done: t(done),
    ...(secret && { secret: { label: t(secret.label), value: secret.value } }),
  });
  return next;
}

const backPath = (
  { act: { back }, section: { path } }: ActInSection,
  { params }: ActRequest,
): string => (back === undefined ? path : typeof back === 'string' ? back : back(params));

type ActPageInput = {
  given: ActRequest;
  prepared: ActContent;
  values: Values;
  faults?: Faults | undefined;
};

async function actPage(
  entry: ActInSection,
  { given, prepared: { details, ...prepared }, ...shown }: ActPageInput,
): Promise<PageContent> {
  const { view } = given;
  const { act, section } = entry;
  const { pathname, search } = new URL(view.preferences.path, 'http://page');
  const page = formPage({
    view,
    action: { ...act, direct: true },
    prepared: {
      about: [],
      ...prepared,
      ...(details && { details: await details() }),
      back: backPath(entry, given),
      trail: [sectionLink(view, section)],
    },
    to: `${pathname}${search}`,
    ...shown,
  });
  return { ...page, section: section.path };
}
