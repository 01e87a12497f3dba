import { uuidToText } from '../protocol/uuid.ts';
import type { NodeContext } from '../services/node-context.ts';
import { SERVER_VERSION } from '../services/server-features.ts';

export type HttpAnswer = { readonly status: number; readonly body?: unknown };

/** What the node answers to plain HTTP requests: liveness, gossip and info, as clients and probes expect them. */
export function answerHttp(context: NodeContext, method: string, url: string): HttpAnswer {
  const path = url.split('?', 1)[0];
  if (path !== '/health/live' && path !== '/gossip' && path !== '/info') return { status: 404 };
  if (method !== 'GET' && method !== 'HEAD') return { status: 405 };
  switch (path) {
    case '/health/live':
      return { status: 204 };
    case '/gossip':
      return { status: 200, body: gossipBody(context) };
    case '/info':
      return { status: 200, body: INFO };
  }
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
