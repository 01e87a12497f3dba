import { uuidToText } from '../protocol/uuid.ts';
import type { NodeContext } from '../services/node-context.ts';
import { SERVER_VERSION } from '../services/server-features.ts';

export type JsonAnswer = { readonly status: number; readonly body?: unknown };

/**
 * Paths of the real server that the node does not serve: "not found" would suggest that a single
 * item is missing.
 */
const LEFT_OUT =
  /^\/(?:streams|subscriptions|projections?|users|stats|admin|sys|web|metrics)(?:\/|$)/;

/** Answers plain HTTP requests for liveness, gossip and info, as clients and probes expect. */
export function answerHttp(context: NodeContext, method: string, url: string): JsonAnswer {
  const [path = ''] = url.split('?', 1);
  if (LEFT_OUT.test(path)) {
    return { status: 501, body: { error: `${path} is not implemented by the event store node.` } };
  }
  const answer = ANSWERS.get(path);
  if (answer === undefined) return { status: 404 };
  return method === 'GET' || method === 'HEAD' ? answer(context) : { status: 405 };
}

const INFO = {
  dbVersion: `${SERVER_VERSION}.0`,
  esVersion: `${SERVER_VERSION}.0`,
  state: 'leader',
  features: { projections: false, userManagement: false, atomPub: false },
  authentication: { type: 'insecure', properties: {} },
};

function gossipBody({ instanceId, advertised, logEnd }: NodeContext) {
  const { host, port } = advertised;
  const end = logEnd();
  const member = {
    instanceId: uuidToText(instanceId),
    timeStamp: new Date().toISOString(),
    state: 'Leader',
    isAlive: true,
    httpEndPointIp: host,
    httpEndPointPort: port,
    lastCommitPosition: end,
    writerCheckpoint: end,
    chaserCheckpoint: end,
    epochPosition: 0,
    epochNumber: 0,
    nodePriority: 0,
    isReadOnlyReplica: false,
    esVersion: `${SERVER_VERSION}.0`,
  };
  return { members: [member], serverIp: host, serverPort: port };
}

/** The type's number differs from version to version; clients ask for a number. */
const PING = { text: 'Ping request successfully handled', msgTypeId: 0, label: 'Http' };

const ANSWERS = new Map<string, (context: NodeContext) => JsonAnswer>([
  ['/health/live', () => ({ status: 204 })],
  ['/ping', () => ({ status: 200, body: PING })],
  ['/gossip', (context) => ({ status: 200, body: gossipBody(context) })],
  ['/info', () => ({ status: 200, body: INFO })],
]);
